"""The meaning of the buttons: the panel map, questions, the ui, and `interpret`. Pure."""
