"""Where some of the trials are, and how to read them."""
