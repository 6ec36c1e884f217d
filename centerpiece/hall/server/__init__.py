"""The hall itself: follows its tables, adds them up, gives orders, shows pages."""
