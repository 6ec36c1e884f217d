"""Voices: folders of equally loud clips, synthesized ahead or recorded by people."""
