"""What only a person knows of a project: tables of questions, from which forms are made."""
