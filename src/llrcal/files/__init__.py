"""Files and folders that appear whole or not at all, and never over what is being read."""
