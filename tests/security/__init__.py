"""What nobody may be able to do to a server with users, a file for each subject."""
