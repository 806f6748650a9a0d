"""Markdown tables that are readable without rendering."""

NONE = "–"


def table(headings: list[str], rows: list[list[str]]) -> str:
    """Returns a Markdown table with padded columns; all but the first are right-aligned."""
    widths = [max(len(row[i]) for row in [headings, *rows]) for i in range(len(headings))]

    def line(cells: list[str]) -> str:
        padded = [
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths))]
        return f"| {' | '.join(padded)} |"

    rule = [
        "-" * width if i == 0 else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    return "\n".join([line(headings), line(rule), *map(line, rows)]) + "\n"


def number(value: float | None, digits: int = 2) -> str:
    """Returns a number, or a dash if nothing was measured."""
    return NONE if value is None else f"{value:,.{digits}f}"


def significant(value: float | None) -> str:
    """Returns a number with about three significant digits."""
    if value is None:
        return NONE
    size = abs(value)
    return number(value, 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3)


def verdict(is_met: bool | None) -> str:
    return NONE if is_met is None else "yes" if is_met else "NO"
