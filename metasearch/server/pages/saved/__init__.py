"""The pages of saved searches."""
