"""CCL, the query language of pazpar2 and of Z39.50 clients, as Index Data's YAZ reads it."""
