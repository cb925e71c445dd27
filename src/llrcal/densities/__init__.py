"""Score densities: log density, gradient and Hessian, in coordinates that behave."""
