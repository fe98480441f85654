"""What goes wrong as expected: told in one line, without a traceback."""

from app.program import PROGRAM


class Failure(Exception):
    """Something that could not be done."""

    exit_code = PROGRAM["exit_codes"]["failed"]


class UsageError(Failure):
    """The command line itself is wrong."""

    exit_code = PROGRAM["exit_codes"]["usage"]
