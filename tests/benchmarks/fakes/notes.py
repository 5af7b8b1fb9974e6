"""A module beside the questions that is none itself."""

QUESTION = "Has no cases, so is not one."
