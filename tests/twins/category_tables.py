"""Tables of categories of every kind that scikit-learn's encoders take."""

from tests.twins import tables
from tests.twins.tables import WORDS

ANY_TABLE = {
    "strings": tables.strings,
    "strings-none": tables.strings_none,
    "strings-nan": tables.strings_nan,
    "strings-both": tables.strings_both_missing,
    "default-strings": tables.default_strings,
    "nullable-strings": tables.nullable_strings,
    "nullable-strings-na": tables.nullable_strings_holes,
    "arrow-strings": tables.arrow_strings,
    "categoricals": tables.categoricals,
    "ints": tables.int_categories,
    "floats": tables.float_categories,
    "booleans": tables.boolean_categories,
    "object-ints": tables.object_ints,
    "object-numbers-none": tables.object_numbers_holes,
    "nullable-numbers": tables.nullable_numbers,
    "mixed-columns": tables.mixed_categories,
    "mixed-types": tables.mixed_types,
    "polars": tables.polars_strings,
    "polars-none": tables.polars_strings_holes,
    "array-objects": tables.array_objects,
    "array-objects-none": tables.array_objects_holes,
    "array-text": tables.array_text,
    "array-ints": tables.array_ints,
    "array-booleans": tables.array_booleans,
    "sparse": tables.csr,
}
WORD_LISTS = [[*WORDS, "never seen"], [*reversed(WORDS)]]
