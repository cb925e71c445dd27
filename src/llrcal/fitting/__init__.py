"""Maximum likelihood: the optimizer, what it climbs, and the report of how it went."""
