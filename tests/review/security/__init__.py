"""What must not be possible; each file is named after a threat."""
