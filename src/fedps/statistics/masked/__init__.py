"""Products of columns that several clients hold, under masks that the server does not know.

Each client sends its columns with a mask on top, and the others what the masks add to the products, so that
only the sums over all rows can be found (decision 023). Nothing here knows a cipher: a client brings one.

- ``mask_keys``: a public key of each client, and how many columns it has (``MaskKeys``)
- ``mask_seeds``: what each client's masks are drawn from, sealed for each other client (``MaskSeeds``)
- ``masked_columns``: the columns under their masks (``MaskedColumns``)
- ``masked_products``: means, own products, and what the masks add to the others (``MaskedProducts``)
- ``partial_keys``: public keys, and marks of rows to predict (``PartialKeys``)
- ``masked_partial``: sums of all clients' parts of predictions (``MaskedPartial``)
- ``own_columns``: a client's columns and target as whole numbers; ``drawn_masks``: masks from seeds
- ``ring``: whole numbers modulo 2^128, and products of matrices of them
"""
