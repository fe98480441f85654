"""Shows a result in a format."""

import csv
import io
import json
from dataclasses import dataclass

from app.values import format_value


@dataclass
class Sheet:
    """Rows of texts under the names of their columns."""

    columns: list
    rows: list
    is_right: list


def render(kind, data, text, sheet=None):
    """The data as JSON, CSV or a table; `text` is for people."""
    if kind == "json":
        return json.dumps(data, indent=2, ensure_ascii=False)
    if kind == "csv":
        return csv_text(sheet or sheet_of(data))
    return table(sheet or sheet_of(data)) if kind == "table" else text


def table(sheet):
    """Aligned columns under their names; numbers stand to the right."""
    return align([list(sheet.columns), *sheet.rows], sheet.is_right)


def align(rows, is_right):
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(len(is_right))]
    lines = []
    for row in rows:
        cells = [text.rjust(width) if right else text.ljust(width) for text, width, right in zip(row, widths, is_right)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def csv_text(sheet):
    """Comma-separated values, after RFC 4180."""
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator="\n").writerows([sheet.columns, *sheet.rows])
    return stream.getvalue().rstrip("\n")


def sheet_with(columns, records, fields=()):
    """A sheet of these columns; fields say how their values are shown."""
    known = {field["name"]: field for field in fields}
    rows = [[format_value(known.get(name), record.get(name)) for name in columns] for record in records]
    return Sheet(list(columns), rows, [is_number_column(name, records) for name in columns])


def is_number_column(name, records):
    values = [0 if record.get(name) is None else record[name] for record in records]
    return bool(values) and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def sheet_of(data):
    records = data if isinstance(data, list) else [data]
    return sheet_with(list(dict.fromkeys(name for record in records for name in record)), records)
