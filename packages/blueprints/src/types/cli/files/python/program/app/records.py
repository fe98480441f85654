"""Chooses, sorts and adds up records."""

import math
from decimal import Decimal

from app.record import FIELDS
from app.values import format_value

_KNOWN = {field["name"]: field for field in FIELDS}


def fields_named(*names):
    """The fields of these names, `id` among them."""
    return [_KNOWN.get(name, {"name": name, "type": "integer"}) for name in names]


def as_filters(options):
    """Options, of which those for fields of the record may be left out, and are then not looked at."""
    return [as_filter(option) if option["name"] in _KNOWN else option for option in options]


def as_filter(field):
    return {key: rule for key, rule in field.items() if key not in ("required", "default")}


def field_values(values):
    """Only the values of fields: not the options of the program."""
    return {name: values[name] for name in _KNOWN if values.get(name) is not None}


def matching(records, values):
    return [record for record in records if all(record.get(name) == value for name, value in values.items())]


def number_of(value):
    """A number of a record for an expression: one that is missing compares to nothing."""
    return math.nan if value is None else float(value)


def text_of(value):
    """A text or a date of a record for an expression."""
    return "" if value is None else value


def in_order(records, by, known=None):
    """Sorted by a field, and by number where that is the same; a minus before the field turns the order round.

    Choices are in the order in which the field has them.
    """
    name = by.removeprefix("-")
    choices = (known or _KNOWN).get(name, {}).get("values")

    def place(record):
        value = record.get(name)
        if value is None:
            return (False, 0, record["id"])
        return (True, choices.index(value) if choices and value in choices else value, record["id"])

    return sorted(records, key=place, reverse=by.startswith("-"))


def sum_of(records, name, by=None):
    """Adds a field up, for all records or for each value of another field."""
    sums = {} if by else {"total": Decimal(0)}
    for record in records:
        key = format_value(None, record.get(by)) if by else "total"
        sums[key] = sums.get(key, Decimal(0)) + Decimal(str(record.get(name, 0)))
    return [{"key": key, "sum": as_number(sums[key])} for key in sorted(sums)]


def as_number(value):
    """Without a fraction of zero, which other programs would show."""
    return int(value) if value == int(value) else float(value)
