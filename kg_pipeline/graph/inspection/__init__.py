"""What a person looks at before trusting a version: checks, hubs, plots."""
