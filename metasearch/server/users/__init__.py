"""Who asks: how a server knows its users, and what they may do."""
