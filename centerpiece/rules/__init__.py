"""Rule books: settings, house rules on top of a profile, the printed card.

Pure: nothing here opens, waits or reads a clock. The profiles themselves are beside their games
(`centerpiece/games/*/rules.py`), so that a game is one folder; this package only knows the settings
that all games share.
"""
