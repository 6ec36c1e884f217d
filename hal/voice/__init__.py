"""Voices: folders of clips, made ahead by a synthesizer or recorded by people, equally loud."""
