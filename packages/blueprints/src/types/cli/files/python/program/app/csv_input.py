"""Records from CSV."""

import csv
import io

from app.errors import Failure
from app.values import parse_value


def read_csv(text, fields):
    """The first line names the fields; each record gets the number of its line as id."""
    rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    known = {field["name"]: field for field in fields}
    header = [name.strip() for name in rows[0]] if rows else []
    for name in header:
        if name not in known and name != "id":
            raise Failure(f"the input has an unknown column '{name}'")
    return [read_row(dict(zip(header, row)), known, index + 1) for index, row in enumerate(rows[1:])]


def read_row(row, known, number):
    record = {"id": number}
    try:
        record.update({name: parse_value(known[name], text) for name, text in row.items() if text and name in known})
    except Failure as error:
        raise Failure(f"line {number + 1} of the input: {error}") from error
    for name, field in known.items():
        if field.get("required") and name not in record:
            raise Failure(f"line {number + 1} of the input: {name} is missing")
    return record
