"""Runs command lines in this process."""

from app.main import main


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
