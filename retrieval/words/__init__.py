"""Words of questions and of articles: forms, cues, names, direction; what article text may not do."""
