"""The documentation site: what MkDocs is given beside the pages in ``docs/``."""
