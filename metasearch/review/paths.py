"""What the addresses of this wing's JSON interface begin with."""

PROJECTS, SAVED = "/api/projects", "/api/saved"
ACCOUNT, ADMIN = "/api/account", "/api/admin"
