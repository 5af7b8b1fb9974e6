"""How the Gaussian processes on preferences are solved: likelihoods, approximate posteriors and hyperparameters."""
