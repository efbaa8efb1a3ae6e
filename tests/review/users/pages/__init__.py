"""Accounts and the administration of a server with users."""
