"""What only ``split="columns"`` needs: whether rows are the same, owners' fitted parts, rows to predict."""
