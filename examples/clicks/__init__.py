"""A site of one page: it shows results in the order that a study has learned, and browsers send clicks to the study."""
