"""Chooses, sorts, adds up and shows records."""

from decimal import Decimal

from app.record import FIELDS
from app.values import format_value

_KNOWN = {field["name"]: field for field in FIELDS}


def fields_named(*names):
    """The fields of these names, `id` among them."""
    return [_KNOWN.get(name, {"name": name, "type": "integer"}) for name in names]


def as_filters(fields):
    """The same fields as options that may be left out, and are then not looked at."""
    return [{key: rule for key, rule in field.items() if key not in ("required", "default")} for field in fields]


def field_values(values):
    """Only the values of fields: not the options of the program."""
    return {name: values[name] for name in _KNOWN if values.get(name) is not None}


def matching(records, values):
    return [record for record in records if all(record.get(name) == value for name, value in values.items())]


def in_order(records, by):
    """Sorted by a field, and by number where that is the same; a minus before the field turns the order round."""
    name = by.lstrip("-")

    def place(record):
        return (record.get(name) is not None, record.get(name), record["id"])

    return sorted(records, key=place, reverse=by.startswith("-"))


def sum_of(records, name, by=None):
    """Adds a field up, for all records or for each value of another field."""
    sums = {} if by else {"total": Decimal(0)}
    for record in records:
        key = format_value(None, record.get(by)) if by else "total"
        sums[key] = sums.get(key, Decimal(0)) + Decimal(str(record.get(name, 0)))
    return [{"key": key, "sum": float(sums[key])} for key in sorted(sums)]


def table(columns, records):
    """Records as aligned columns under their names; numbers stand to the right."""
    rows = [[format_value(_KNOWN.get(name), record.get(name)) for name in columns] for record in records]
    numbers = [_KNOWN.get(name, {}).get("type") in ("integer", "number", "decimal") for name in columns]
    return align([list(columns), *rows], numbers)


def sum_table(name, sums):
    """Sums beside what they are the sum of."""
    return align([[each["key"], format_value(_KNOWN.get(name), each["sum"])] for each in sums], [False, True])


def align(rows, is_right):
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(len(is_right))]
    lines = []
    for row in rows:
        cells = [text.rjust(width) if right else text.ljust(width) for text, width, right in zip(row, widths, is_right)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
