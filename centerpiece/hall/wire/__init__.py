"""What tables and hall say to each other through Redis: keys, lines, orders."""
