"""Reads and shows the value of a field."""

import math
import re
from datetime import date, datetime, timezone

from app.calculate import fixed, number_text
from app.errors import UsageError


def parse_value(field, text):
    """A text as a value of a field; or what is wrong with it is told."""
    value = read_as(field, text.strip(), text)
    choices = field.get("values")
    if choices is not None and str(value) not in [str(choice) for choice in choices]:
        raise wrong(field, f"must be one of {', '.join(map(str, choices))}, not '{text}'")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        check_range(field, value)
    if isinstance(value, str):
        check_length(field, value)
    return value


def format_value(field, value):
    """A value as people write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return fixed(value, field["decimals"]) if field and "decimals" in field else number_text(value)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def fill(template, values, fields=()):
    """Puts values in the place of `{name}`; what has no value stays as it is."""
    known = {field["name"]: field for field in fields}

    def replace(match):
        name = match.group(1)
        return match.group(0) if values.get(name) is None else format_value(known.get(name), values[name])

    return re.sub(r"\{([^{}]+)\}", replace, template)


def read_as(field, text, as_typed):
    kind = field["type"]
    if kind == "integer":
        if not re.fullmatch(r"[+-]?[0-9]{1,15}", text):
            raise wrong(field, f"must be a whole number, not '{text}'")
        return int(text)
    if kind in ("number", "decimal"):
        return read_number(field, text)
    if kind == "boolean":
        if text.lower() not in ("true", "false", "yes", "no"):
            raise wrong(field, f"must be true or false, not '{text}'")
        return text.lower() in ("true", "yes")
    if kind == "date":
        return read_time(field, text, read_day, "a date such as 2030-01-31")
    if kind == "datetime":
        return read_time(field, text, read_moment, "a time such as 2030-01-31T09:00Z")
    return as_typed


def read_number(field, text):
    parts = re.fullmatch(r"[+-]?(?:[0-9]{1,15}(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]{1,3}))?", text)
    if parts is None or not math.isfinite(float(text)):
        raise wrong(field, f"must be a number, not '{text}'")
    digits = max(0, len(parts[1] or parts[2] or "") - int(parts[3] or 0))
    if digits > field.get("decimals", digits):
        raise wrong(field, f"may have {field['decimals']} decimals, not '{text}'")
    value = float(text)
    return int(value) if value.is_integer() else value


def read_time(field, text, read, what):
    try:
        return read(text)
    except (ValueError, OverflowError):
        raise wrong(field, f"must be {what}, not '{text}'") from None


def read_day(text):
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError(text)
    return date.fromisoformat(text).isoformat()


def read_moment(text):
    """In universal time, so that moments can be compared as texts."""
    moment = datetime.fromisoformat(re.sub("[zZ]$", "+00:00", text)).astimezone(timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def check_range(field, value):
    if value < field.get("min", value):
        raise wrong(field, f"must be at least {field['min']}")
    if value > field.get("max", value):
        raise wrong(field, f"must be at most {field['max']}")


def check_length(field, value):
    if field.get("required") and value.strip() == "":
        raise wrong(field, "must not be empty")
    if len(value) < field.get("min_length", 0):
        raise wrong(field, f"must have at least {field['min_length']} characters")
    if len(value) > field.get("max_length", len(value)):
        raise wrong(field, f"may have at most {field['max_length']} characters")


def wrong(field, what):
    return UsageError(f"{field['name']} {what}")
