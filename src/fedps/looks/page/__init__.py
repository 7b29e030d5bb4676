"""The page of a look: one HTML file that contacts no address and needs no other file.

For: ``to_html`` and the notebook's view of a description, a crosstab and a correlation.
May import: the facts, groups and formats of ``looks``; not what is shown by it.
Its one rule: whatever comes from a client passes through ``markup.text``, so that no name is ever markup.

- ``document``: the frame of every page, and the assets that go into it
- ``markup``, ``heat_table``, ``charts``: text, tables with shaded cells, and drawings
- ``overview``, ``filter_bar``, ``cards``, ``site_numbers``, ``differences``, ``correlation_map``, ``table_one``,
  ``disclosures``: the parts of a page
"""
