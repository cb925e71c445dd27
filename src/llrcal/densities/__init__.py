"""Score densities: log density, gradient and Hessian, in well-behaved coordinates."""
