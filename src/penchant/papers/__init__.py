"""The experiments of five papers on preference learning; `penchant.papers.catalogue` lists them."""
