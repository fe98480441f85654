"""Checks what callers send against the fields of a resource."""

import math
import re
from urllib.parse import urlsplit

from service.expressions import comparable, now_text, time_of


def _is_text(value):
    return isinstance(value, str)


def _is_number(value):
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


# Beyond it, programs that read JSON disagree about which number it is.
HIGHEST_INTEGER = 2**53 - 1


def _is_integer(value):
    return _is_number(value) and abs(value) <= HIGHEST_INTEGER and value == int(value)


def _is_date(value):
    return _is_text(value) and len(value) == 10 and time_of(value) is not None


def _is_datetime(value):
    return _is_text(value) and len(value) > 10 and time_of(value) is not None


def _is_url(value):
    if not _is_text(value):
        return False
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc != ""


# What a value of each type must be, and how that is said.
TYPES = {
    "string": (_is_text, "must be a text"),
    "text": (_is_text, "must be a text"),
    "password": (_is_text, "must be a text"),
    "integer": (_is_integer, "must be a whole number"),
    "number": (_is_number, "must be a number"),
    "boolean": (lambda value: isinstance(value, bool), "must be true or false"),
    "date": (_is_date, "must be a date such as 2030-05-04"),
    "datetime": (_is_datetime, "must be a time such as 2030-05-04T10:00:00Z"),
    "email": (
        lambda value: _is_text(value) and re.fullmatch(r"[^\s@]+@[^\s@]+\.[^\s@]+", value) is not None,
        "must be an e-mail address",
    ),
    "url": (_is_url, "must be a web address"),
    "time": (
        lambda value: _is_text(value) and re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?", value) is not None,
        "must be a time such as 09:30",
    ),
    # Whether it leads somewhere is checked when the record is stored.
    "reference": (lambda value: _is_text(value) or _is_integer(value), "must be an id"),
    "list": (lambda value: isinstance(value, list), "must be a list"),
    "object": (lambda value: isinstance(value, dict), "must be an object"),
    "any": (lambda value: True, ""),
}

# Set by the service; a client may send back what it read.
RESERVED = {"id", "created_at", "updated_at"}


def validate(resource, given, is_partial=False):
    """The clean values and every problem, by field. Of a partial change only what is there is checked."""
    fields = resource["fields"]
    values, problems = {}, {}
    for name, field in fields.items():
        is_given = name in given
        # The owner is noted by the service, and a role stays what it is unless it is given.
        if field.get("is_owner") or (not is_given and (is_partial or field.get("is_role"))):
            continue
        value = given[name] if is_given else default_of(field)
        # An empty text in a field that may be left out is how forms and clients clear it.
        if value is None or (value == "" and not field.get("required")):
            if field.get("required"):
                problems[name] = "is required"
            else:
                values[name] = None
            continue
        problem = problem_of(field, value)
        if problem is None:
            values[name] = value
        else:
            problems[name] = problem
    for name in given:
        if name in fields or name in RESERVED:
            continue
        problems[name] = "is not known: there is " + ", ".join(fields)
    return values, problems


def default_of(field):
    """`today` and `now` are the day and the moment at which a record is made."""
    fallback = field.get("default")
    if field["type"] == "date" and fallback == "today":
        return now_text()[:10]
    return now_text() if field["type"] == "datetime" and fallback in ("now", "today") else fallback


def problem_of(field, value):
    """Why the value does not fit the field; None if it does."""
    if field["type"] == "enum":
        choices = field["values"]
        return None if value in choices else "must be one of " + ", ".join(str(choice) for choice in choices)
    fits, message = TYPES[field["type"]]
    if not fits(value):
        return message
    if field["type"] in ("date", "datetime", "time"):
        return _problem_of_time(field, value)
    if isinstance(value, str):
        return _problem_of_text(field, value)
    if isinstance(value, list):
        return _problem_of_list(field, value)
    if _is_number(value):
        return _problem_of_number(field, value)
    return None


def _problem_of_text(field, value):
    if field.get("required") and value.strip() == "":
        return "is required"
    if len(value) < field.get("min_length", 0):
        return f"must have {field['min_length']} characters at least"
    if len(value) > field.get("max_length", len(value)):
        return f"must have {field['max_length']} characters at most"
    if "pattern" in field and re.search(field["pattern"], value) is None:
        return f"must match {field['pattern']}"
    return None


def _problem_of_time(field, value):
    now = now_text()
    words = {"now": now, "today": now[:10]}

    def is_before(a, b):
        x, y = comparable(a, b)
        return x < y

    lowest, highest = field.get("min"), field.get("max")
    if lowest is not None and is_before(value, words.get(lowest, lowest)):
        return f"must be {lowest} or later"
    if highest is not None and is_before(words.get(highest, highest), value):
        return f"must be {highest} or earlier"
    return None


def _problem_of_number(field, value):
    if value < field.get("min", value):
        return f"must be {field['min']} or more"
    if value > field.get("max", value):
        return f"must be {field['max']} or less"
    return None


def _problem_of_list(field, value):
    if len(value) > field.get("max_length", len(value)):
        return f"must have {field['max_length']} entries at most"
    if len(value) < field.get("min_length", 0):
        return f"must have {field['min_length']} entries at least"
    for index, entry in enumerate(value, start=1):
        problem = problem_of(field.get("of", {"type": "any"}), entry)
        if problem is not None:
            return f"entry {index} {problem}"
    return None
