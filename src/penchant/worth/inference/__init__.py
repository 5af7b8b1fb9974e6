"""How the models of worth are solved."""
