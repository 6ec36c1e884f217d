"""What the buttons mean: the panel map, questions, the ui, and `interpret`. Pure."""
