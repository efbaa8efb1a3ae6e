"""Users of a workspace: accounts, sessions, tokens, roles, quotas, and the audit log."""
