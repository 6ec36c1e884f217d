"""A table in a hall: forwards its journal, hears the hall's orders and carries them out."""
