"""Pages about users: the account of a reader, and the administration of a server."""
