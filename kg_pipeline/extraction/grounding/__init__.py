"""What holds a triple to the text: quotes, anchors, denial."""
