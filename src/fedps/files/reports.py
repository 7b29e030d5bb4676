"""Reports in files: a run or an explanation as HTML, JSON or Markdown."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

from fedps.errors import UsageError
from fedps.files.whole_files import check_folder, whole_file
from fedps.report.rendering import Rendered


def check_report_path(path: Path | None) -> None:
    """Raise UsageError for a file that a report cannot be written to; None is no report."""
    if path is None:
        return
    if path.suffix.lower() not in _FORMATS:
        raise UsageError(f"--report {str(path)!r}: must end with {', '.join(_FORMATS)}.")
    check_folder(path)


def write_report(rendered: Rendered, path: Path) -> None:
    """Write a run or an explanation to a file, in the format that its suffix stands for."""
    text = _FORMATS[path.suffix.lower()](rendered)
    with whole_file(path) as beside:
        beside.write_text(text, "utf-8")


def _page(rendered: Rendered) -> str:
    title = escape(rendered.sections()[0].title)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n'
        '<body style="font-family:sans-serif;margin:2em;color-scheme:light dark">\n'
        f"{rendered.to_html()}\n</body></html>\n"
    )


_FORMATS: dict[str, Callable[[Rendered], str]] = {
    ".html": _page,
    ".json": lambda rendered: rendered.to_json() + "\n",  # type: ignore[attr-defined]
    ".md": lambda rendered: rendered.to_markdown() + "\n",
}
