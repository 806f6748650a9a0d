"""Tables that can be read without being rendered."""

NONE = "–"


def table(headings: list[str], rows: list[list[str]]) -> str:
    """A Markdown table with columns filled up to one width; all but the first to the right."""
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
    """A number, or a dash where nothing was measured."""
    return NONE if value is None else f"{value:,.{digits}f}"


def significant(value: float | None) -> str:
    """A number with about three digits that mean something."""
    if value is None:
        return NONE
    size = abs(value)
    return number(value, 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3)


def verdict(is_met: bool | None) -> str:
    return NONE if is_met is None else "yes" if is_met else "NO"
