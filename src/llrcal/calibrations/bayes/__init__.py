"""Calibrations that integrate their parameters out, for few trials (docs/few-trials.md).

Their LLR is the log-ratio of two posterior predictive densities, or for ``logistic`` the log-odds
of the predictive probability. Where there are few trials, these keep what the parameters cannot
know out of the LLR. Where there are many, they agree with the densities at the best parameters.
"""
