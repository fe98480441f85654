"""Rows from CSV or JSON. A value is a text, a number, true or false, or None where there is none."""

import csv
import io
import json


class BadData(ValueError):
    """The rows cannot be used; the message says which, and why."""


def parse_table(text: str, missing_values: list[str], kind: str | None = None) -> list[dict]:
    """The rows of a text. The kind is "csv" or "json"; without one, what looks like JSON is JSON."""
    text = text.removeprefix("\ufeff")
    is_json = kind == "json" or (kind is None and text.lstrip()[:1] in ("{", "["))
    rows = parse_json(text) if is_json else parse_csv(text)
    missing = {"", *missing_values}
    return [{name: cleaned(value, missing) for name, value in row.items()} for row in rows]


def cleaned(value, missing: set[str]):
    if not isinstance(value, str):
        return value
    text = value.strip()
    return None if text in missing else text


def parse_json(text: str) -> list[dict]:
    """A list of objects, one object, or one object a line."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        found = [read_line(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    rows = found if isinstance(found, list) else [found]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise BadData(f"row {number} must be an object with a value for each column")
        for name, value in row.items():
            if isinstance(value, (list, dict)):
                raise BadData(f"row {number}: '{name}' must be a single value")
    return rows


def read_line(number: int, line: str):
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise BadData(f"line {number} is not JSON: {error.msg}") from error


def parse_csv(text: str) -> list[dict]:
    try:
        lines = [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text), strict=True) if line]
    except csv.Error as error:
        raise BadData(f"the CSV cannot be read: {error}") from error
    if not lines:
        raise BadData("there is no line of column names")
    names = [name.strip() for name in lines[0]]
    for name in names:
        if name == "" or names.count(name) > 1:
            raise BadData(f"each column needs a name of its own, and '{name}' is none")
    for number, line in enumerate(lines[1:], 1):
        if len(line) != len(names):
            raise BadData(f"row {number} has {len(line)} cells, and there are {len(names)} columns")
    return [dict(zip(names, line)) for line in lines[1:]]


def delimiter_of(text: str) -> str:
    """The comma, semicolon or tab that separates the names."""
    counts, is_quoted = {",": 0, ";": 0, "\t": 0}, False
    for character in text:
        if character == '"':
            is_quoted = not is_quoted
        elif not is_quoted and character in "\r\n":
            break
        elif not is_quoted and character in counts:
            counts[character] += 1
    return max(counts, key=lambda one: counts[one])


def write_csv(rows: list[dict]) -> str:
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        writer.writerow([str(value).lower() if isinstance(value, bool) else value for value in row.values()])
    return file.getvalue()
