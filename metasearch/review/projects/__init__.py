"""Projects: what people work on, their members, and the log of what was changed."""
