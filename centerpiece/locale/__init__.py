"""Texts in every language: English by key, and one gettext catalogue for each other language."""
