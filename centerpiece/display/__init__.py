"""Pure functions from the table and the ui to the lights and to the public state."""
