"""The facade: what a user calls, over one session and one of two settings (rows or columns)."""

from __future__ import annotations

from fedps.federation.federation import Federation, fit

__all__ = ["Federation", "fit"]
