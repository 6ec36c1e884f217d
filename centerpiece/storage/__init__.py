"""What outlives a pulled plug: the journal, and what is kept beside it in the same file."""
