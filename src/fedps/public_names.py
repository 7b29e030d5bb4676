"""What is public in ``fedps`` and needs scikit-learn: imported when the first of it is used."""

from __future__ import annotations

from fedps.client import Policy
from fedps.client.tables.files.csv_options import CSV
from fedps.client.tables.files.excel_sheets import Excel
from fedps.client.tables.sql.sql import SQL
from fedps.federation.federation import Federation
from fedps.federation.fit import fit
from fedps.federation.looks.look import Look
from fedps.files import load_fitted as load
from fedps.files import save_fitted as save
from fedps.plans import supported
from fedps.statistics import KLL, REQ, FrequentItems
from fedps.trials import row_by_row

__all__ = [
    "CSV",
    "KLL",
    "REQ",
    "SQL",
    "Excel",
    "Federation",
    "FrequentItems",
    "Look",
    "Policy",
    "fit",
    "load",
    "row_by_row",
    "save",
    "supported",
]
