"""Several processes at one address: a parent that supervises them, and how they ask each other."""
