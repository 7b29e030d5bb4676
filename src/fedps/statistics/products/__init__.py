"""Inner products of columns, with and without missing cells."""
