"""What can be read from the cells of any table, whatever its container.

- ``native_table``: shape, names, columns and rows of an array, a sparse matrix or a frame
- ``as_numbers``: a table as floats; ``number_columns``: the same column by column, with counts
- ``missing_cells``: how many cells are missing, as ``missing_values`` of scikit-learn means it
- ``distinct_values``: of a column; ``distinct_labels``: of a target; ``distinct_in_arrays``: of an array
- ``category_codes``: each row's category as a number
- ``target``: a target as scikit-learn takes it, and as a plain array
"""
