"""Runs command lines in this process."""

import json
import tempfile
import unittest
from pathlib import Path

from app.main import main
from app.program import PROGRAM


class Result:
    """What a command line printed, and the code it ended with."""

    def __init__(self, words, env=None, given=""):
        self.env = env or {}
        self.output = ""
        self.errors = ""
        self._given = given
        self.exit_code = main(list(words), self)

    def write(self, text):
        self.output += text

    def write_error(self, text):
        self.errors += text

    def read_input(self):
        return self._given


class StepsTest(unittest.TestCase):
    """Runs command lines one after the other on the same data, and checks what comes of each."""

    def run_steps(self, stored, steps):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "data.json")
            if stored:
                file.write_text(json.dumps({"lastId": len(stored), "records": stored}), encoding="utf-8")
            env = {} if stored is None else {PROGRAM["data_file"]["variable"]: str(file)}
            for step in steps:
                result = Result(step["words"], env, step.get("input", ""))
                self.assertEqual(result.exit_code, PROGRAM["exit_codes"][step["ends"]], result.errors)
                if "json" in step:
                    self.assert_has(json.loads(result.output), step["json"])
                self.assertIn(step.get("output", ""), result.output)
                self.assertIn(step.get("errors", ""), result.errors)

    def assert_has(self, actual, expected):
        """Of maps only the keys that are named must be the same."""
        if isinstance(expected, list):
            self.assertEqual(len(actual), len(expected))
            for each, value in zip(actual, expected):
                self.assert_has(each, value)
        elif isinstance(expected, dict):
            for name, value in expected.items():
                self.assert_has(actual[name], value)
        else:
            self.assertEqual(actual, expected)
