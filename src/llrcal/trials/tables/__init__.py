"""Trials in tables with named columns: frames, Parquet and Arrow."""
