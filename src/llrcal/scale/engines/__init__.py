"""Engines that process the pieces: threads of this process, or a Dask cluster."""
