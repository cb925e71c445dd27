"""Several systems on the same trials, and what is known of each trial."""
