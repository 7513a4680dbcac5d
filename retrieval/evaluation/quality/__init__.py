"""Quality of answers in prose: faithfulness, context, attribution, pairwise preference, and knowing when not to answer."""
