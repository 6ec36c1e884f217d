"""What tables and hall say to each other through Redis: keys, entries, orders, signs of life."""
