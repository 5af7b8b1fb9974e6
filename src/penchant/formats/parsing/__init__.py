"""What the formats are parsed with: bounded files, cells and columns, and rows on their way to `Preferences`."""
