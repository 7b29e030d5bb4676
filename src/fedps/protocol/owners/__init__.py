"""What only ``split="columns"`` needs of the protocol: what a server has of kept parts, and texts of errors."""
