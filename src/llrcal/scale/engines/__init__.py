"""Who goes through the pieces: threads of this process, or a Dask cluster."""
