"""From embeddings to counts of the scores of all their pairs, none of which is ever written.

A module of its own for each step, so that those that count need NumPy alone, and torch on a GPU.
"""
