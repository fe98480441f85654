"""What a command works with besides its values."""

import json

from app.csv_input import read_csv
from app.errors import Failure, UsageError
from app.program import PROGRAM
from app.record import FIELDS
from app.store import Store


class Resources:
    """Where records are, and how results are printed."""

    def __init__(self, values, given, io, commands):
        place = PROGRAM["data_file"]
        chosen = values.get(place["option"]) if place["option"] in given else None
        self._data = Store(chosen or io.env.get(place["variable"]) or place["fallback"])
        self.commands = commands
        self._values = values
        self._io = io

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
        if source is None:
            return self._data.all()
        return read_csv(self._io.read_input() if source == "-" else read_file(source), FIELDS)

    def print(self, data, text):
        """Prints data for programs, or a text for people."""
        shown = json.dumps(data, indent=2, ensure_ascii=False) if self._values.get("json") else text
        if shown:
            self._io.write(f"{shown}\n")


def read_file(path):
    try:
        with open(path, encoding="utf-8", newline="") as stream:
            return stream.read()
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error}") from error
