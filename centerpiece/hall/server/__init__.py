"""The hall: reads the lines of its tables, adds them up, gives orders, shows pages."""
