"""What a command works with besides its values."""

from app.csv_input import read_csv
from app.errors import Failure, UsageError
from app.output import render
from app.program import PROGRAM
from app.record import FIELDS
from app.store import Store


class Resources:
    """Where records are, and how results are printed."""

    def __init__(self, values, given, io, commands, usual_format="text"):
        place = PROGRAM["data_file"]
        chosen = values.get(place["option"]) if place["option"] in given else None
        self._data = Store(chosen or io.env.get(place["variable"]) or place["fallback"])
        self.commands = commands
        self._values = values
        self._io = io
        self._format = "json" if values.get("json") else values.get("format", usual_format)

    @property
    def store(self):
        """Where changes are made: what `--input` names is only read."""
        if self._values.get("input") is not None:
            raise UsageError("--input is only for commands that read: nothing was changed")
        return self._data

    def find_record(self, number):
        for record in self.read_records():
            if record["id"] == number:
                return record
        raise Failure(f"there is nothing with the number {number}")

    def read_records(self):
        """The records of the data file, or those that `--input` names."""
        source = self._values.get("input")
        return self._data.all() if source is None else self.read_records_from(source)

    def read_records_from(self, source):
        """The records of a CSV file, or of standard input with `-`."""
        return read_csv(self.read_input() if source == "-" else read_file(source), FIELDS)

    def read_input(self):
        return self._io.read_input()

    def print(self, data, text, sheet=None):
        """Prints a result: `text` for people, or the data in the format that was asked for."""
        shown = render(self._format, data, text, sheet)
        if shown:
            self._io.write(f"{shown}\n")


def read_file(path):
    try:
        with open(path, encoding="utf-8", newline="") as stream:
            return stream.read()
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error}") from error
