"""Works out the results of a command."""

import re
from dataclasses import dataclass, field

from app.calculate import finite, fixed, without_noise
from app.errors import Failure, UsageError
from app.output import sheet_with, table
from app.values import fill, format_value, parse_value


def always(_row):
    return True


@dataclass
class Computation:
    """What a command works out, as functions of a row of values."""

    fields: list
    columns: list
    prints: str
    results: dict
    decimals: object = None
    for_each: tuple = None
    where: object = always
    errors: list = field(default_factory=list)

    def run(self, values, resources):
        """Works it out for all that is given, and prints the results."""
        inputs, is_many = self.inputs(values, resources)
        rows = [self.work_out(row) for given in inputs for row in self.rows_of(given)]
        sheet = sheet_with(self.columns, rows)
        sheet.rows = [[self.shown(row, name) for name in self.columns] for row in rows]
        data = [{name: row.get(name) for name in self.columns} for row in rows]
        text = table(sheet) if self.for_each else "\n".join(self.sentence(row) for row in rows)
        resources.print(data if is_many or self.for_each else data[0], text, sheet)

    def inputs(self, values, resources):
        """What the command works with: the values, once or for each line of standard input."""
        given = next((each for each in self.fields if each.get("stdin")), None)
        if given is None or values.get(given["name"]) is not None:
            return [values], False
        text = resources.read_input()
        if given["stdin"] == "text":
            return [{**values, given["name"]: parse_value(given, re.sub(r"\r?\n\Z", "", text))}], False
        lines = enumerate(re.split(r"\r?\n", text), 1)
        return [{**values, given["name"]: read_line(given, line, number)} for number, line in lines if line.strip()], True

    def rows_of(self, values):
        if self.for_each is None:
            return [values]
        name, rows = self.for_each
        return [row for row in ({**values, name: each} for each in rows) if self.where(row)]

    def work_out(self, values):
        row = dict(values)
        for when, message, is_usage in self.errors:
            if when(row):
                raise (UsageError if is_usage else Failure)(fill(message, row))
        for name, work in self.results.items():
            row[name] = work(row)
        # Rounded only when all is known: a result may go on into the next.
        decimals = self.decimals(row) if self.decimals else None
        for name in self.results:
            if isinstance(row[name], (int, float)) and not isinstance(row[name], bool):
                row[name] = rounded(finite(row[name]), decimals)
        return row

    def shown(self, row, name):
        """A value of a row as people write it."""
        if name in self.results and self.decimals:
            return format_value({"decimals": self.decimals(row)}, row[name])
        rules = next((each for each in self.fields if each["name"] == name), None)
        return format_value(rules, row.get(name))

    def sentence(self, row):
        def replace(match):
            name = match.group(1)
            return match.group(0) if row.get(name) is None else self.shown(row, name)

        return re.sub(r"\{([^{}]+)\}", replace, self.prints)


def rounded(value, decimals):
    return without_noise(value if decimals is None else float(fixed(value, decimals)))


def read_line(given, line, number):
    try:
        return parse_value(given, line)
    except Failure as error:
        raise UsageError(f"line {number} of the input: {error}") from error
