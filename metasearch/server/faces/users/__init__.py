"""What users do about their accounts, and administrators about users and sources."""
