"""From a name in an article to the concept it stands for."""
