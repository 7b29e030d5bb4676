"""Shown: what tables, data frames and pages of a look have in common."""

from __future__ import annotations

from html import escape
from pathlib import Path

from fedps.report.rendering import Rendered

# A frame of its own in the notebook: neither page's styles and names reach the other, and what is in it
# can run nothing but its own script.
_FRAME = (
    '<iframe srcdoc="{page}" sandbox="allow-scripts" title="{title}" style="width:100%;height:{height}px;'
    'border:1px solid rgba(128,128,128,.35);border-radius:8px;resize:vertical"></iframe>'
)


class Shown(Rendered):
    """What shows itself as text in a terminal, and as a page in a notebook or in a file."""

    def _title(self) -> str:
        raise NotImplementedError

    def _frame_height(self) -> int:
        """Return how many pixels a notebook gives to it."""
        return 720

    def to_html(self) -> str:
        """Return the whole page as HTML. It contacts no address, and needs no other file."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        page = escape(self.to_html(), quote=True)
        return _FRAME.format(page=page, title=escape(self._title()), height=self._frame_height())

    def save(self, path: str | Path) -> None:
        """Write the page to a file, which any browser opens.

        Parameters
        ----------
        path : str or Path
            Where to write it, such as ``"report.html"``.
        """
        Path(path).write_text(self.to_html(), encoding="utf-8")
