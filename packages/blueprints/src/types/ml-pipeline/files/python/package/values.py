"""What a single value can be read as. Each function gives None for what it cannot read."""

import datetime
import math
import re

NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
WORDS = {"true": True, "yes": True, "false": False, "no": False}


def to_number(value) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str) and not NUMBER.fullmatch(value):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def to_boolean(value) -> float | None:
    word = value if isinstance(value, bool) else WORDS.get(value.lower()) if isinstance(value, str) else None
    return None if word is None else float(word)


def to_date(value) -> float | None:
    """Days since the first of the calendar."""
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        return None
    try:
        return float(datetime.date.fromisoformat(value).toordinal())
    except ValueError:
        return None


def to_text(value) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)


def to_class(value):
    """A value of the label as it is answered: true and false and numbers as such, all else as text."""
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    number = to_number(value)
    if number is None:
        return value
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


READ = {"number": to_number, "boolean": to_boolean, "date": to_date, "category": to_text}
EXPECTED = {"number": "a number", "boolean": "true or false", "date": "a day such as 2026-11-16", "category": "a text"}
