"""Columns: what their values are, and how a row becomes numbers. What is missing is filled as learnt in training."""

from collections import Counter

from .table import BadData
from .values import EXPECTED, READ, to_text

MAX_LEVELS = 30
MAX_NAMED = 10


def infer_columns(settings: dict, rows: list[dict]) -> tuple[list[dict], list[str]]:
    """The columns to learn from, each with its type, and why others are left out."""
    columns, left_out = [], []
    names = list(dict.fromkeys(name for row in rows for name in row))
    for name in names:
        if name == settings["label"]:
            continue
        if name in settings["ignore"]:
            left_out.append(f"{name}: the document says so")
            continue
        told = settings["columns"].get(name, {})
        values = [row.get(name) for row in rows if row.get(name) is not None]
        kind = told.get("type") or infer_type(values)
        if not values:
            left_out.append(f"{name}: it has no values")
        elif "type" not in told and kind == "category" and len(values) > 10 and len(set(map(to_text, values))) == len(values):
            left_out.append(f"{name}: no two rows have the same value")
        else:
            columns.append({"name": name, "type": kind, "missing": told.get("missing", "fill")})
    return columns, left_out


def infer_type(values: list) -> str:
    for kind in ("boolean", "number", "date"):
        if all(READ[kind](value) is not None for value in values):
            return kind
    return "category"


def complete_rows(columns: list[dict], rows: list[dict]) -> list[dict]:
    """The rows that can be learnt from: a column may ask to drop or refuse those without a value."""
    kept = []
    for number, row in enumerate(rows, 1):
        empty = [column for column in columns if row.get(column["name"]) is None]
        for column in empty:
            if column["missing"] == "refuse":
                raise BadData(f"row {number} has no '{column['name']}', and the document refuses such rows")
        if not any(column["missing"] == "drop" for column in empty):
            kept.append(row)
    return kept


def fit_columns(columns: list[dict], rows: list[dict], every: list[dict] | None = None) -> list[dict]:
    """The columns with what must be known to encode a row, learnt from these rows and no others.

    Of a category it also notes every value that the whole data has: the rest is new.
    """
    fitted = []
    for column in columns:
        values = [read_value(column, row) for row in rows]
        present = [value for value in values if value is not None]
        more: dict = {"has_missing": len(present) < len(values)}
        if column["type"] == "category":
            counts = Counter(present)
            more["levels"] = sorted(counts, key=lambda level: (-counts[level], level))[:MAX_LEVELS]
            seen = {read_value(column, row) for row in (rows if every is None else every)}
            more["seen"] = sorted(value for value in seen if value is not None)
        else:
            more["fill"] = median(present)
        fitted.append({**column, **more})
    return fitted


def encode(columns: list[dict], row: dict) -> list[float]:
    """One row as numbers: a category as one a level, and one more where a value may be missing."""
    numbers: list[float] = []
    for column in columns:
        value = read_value(column, row)
        if value is None and not column["has_missing"]:
            raise BadData(f"'{column['name']}' is missing")
        if column["type"] == "category":
            numbers.extend(float(value == level) for level in column["levels"])
        else:
            numbers.append(column["fill"] if value is None else value)
        if column["has_missing"]:
            numbers.append(float(value is None))
    return numbers


def refuse_unseen(columns: list[dict], row: dict) -> None:
    """Refuses a row with a category that the data never had: whatever the model said of it would be a guess."""
    for column in columns:
        if column["type"] != "category":
            continue
        value, seen = read_value(column, row), column["seen"]
        if value is not None and value not in seen:
            known = ", ".join([*seen[:MAX_NAMED], "…"] if len(seen) > MAX_NAMED else seen)
            raise BadData(f"'{column['name']}' is '{value}', which no row of the data has; it has {known}")


def column_names(columns: list[dict]) -> list[str]:
    names: list[str] = []
    for column in columns:
        name = column["name"]
        names.extend([f"{name} = {level}" for level in column["levels"]] if column["type"] == "category" else [name])
        if column["has_missing"]:
            names.append(f"{name} is missing")
    return names


def read_value(column: dict, row: dict):
    value = row.get(column["name"])
    if value is None:
        return None
    found = READ[column["type"]](value)
    if found is None:
        raise BadData(f"'{column['name']}' must be {EXPECTED[column['type']]}, not {value!r}")
    return found


def median(values: list[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    if not ordered:
        return 0.0
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
