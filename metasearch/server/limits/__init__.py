"""What protects a server: who may ask, how often, how many at once, and how slowly."""
