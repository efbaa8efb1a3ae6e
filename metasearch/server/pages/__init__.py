"""HTML: the pages for browsers, and the files that they load."""
