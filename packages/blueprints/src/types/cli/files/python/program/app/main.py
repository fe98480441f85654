"""Runs one command line."""

import os
import sys

from app.arguments import parse_arguments, split_command
from app.calculate import CalculationError, UnknownName
from app.config import apply_config
from app.errors import Failure, UsageError
from app.help_text import command_help, program_help
from app.load_commands import load_commands
from app.program import GLOBAL_OPTIONS, PROGRAM
from app.resources import Resources


class ProcessIo:
    """The real environment and streams."""

    env = os.environ

    def write(self, text):
        sys.stdout.write(text)

    def write_error(self, text):
        sys.stderr.write(text)

    def read_input(self):
        return sys.stdin.read()


def main(argv, io=None):
    """Gives the exit code."""
    io = io or ProcessIo()
    try:
        return run_checked(argv, io)
    except Failure as error:
        io.write_error(f"{PROGRAM['name']}: {error}\n")
        if isinstance(error, UsageError):
            io.write_error(f"Try '{PROGRAM['name']} --help'.\n")
        return error.exit_code


def run_checked(argv, io):
    """What cannot be worked out is told as any other failure; a name that no table has is a wrong word."""
    try:
        return run(argv, io)
    except UnknownName as error:
        raise UsageError(str(error)) from error
    except CalculationError as error:
        raise Failure(str(error)) from error


def run(argv, io):
    ok = PROGRAM["exit_codes"]["ok"]
    commands = load_commands()
    name, words = split_command(argv, GLOBAL_OPTIONS, lambda word: word in commands)
    if name == "help":
        return show_help(words[0] if words else None, commands, io)
    command = commands.get(name or PROGRAM.get("default_command"))
    flags = words[: words.index("--")] if "--" in words else words
    if "--help" in flags or "-h" in flags:
        return show_help(name, commands, io)
    if name is None and ("--version" in flags or "-V" in flags):
        io.write(f"{PROGRAM['version']}\n")
        return ok
    is_bare = not argv and "bare" in PROGRAM["exit_codes"]
    if command is None or is_bare:
        return refuse(words, commands, io)
    values, given = parse_arguments(words, command.ARGUMENTS, command.OPTIONS + GLOBAL_OPTIONS)
    values, given = apply_config(values, given, io.env)
    command.run(values, Resources(values, given, io, commands, command.FORMAT))
    return ok


def show_help(name, commands, io):
    if name is not None and name not in commands:
        raise UsageError(f"there is no command '{name}'")
    io.write(program_help(commands) if name is None else command_help(commands[name]))
    return PROGRAM["exit_codes"]["ok"]


def refuse(words, commands, io):
    """Nothing that can be run was asked for."""
    plain = [word for word in words if not word.startswith("-")]
    if plain:
        raise UsageError(f"there is no command '{plain[0]}'")
    if words:
        raise UsageError(f"there is no option '{words[0]}'")
    codes = PROGRAM["exit_codes"]
    write = io.write if codes["bare"] == codes["ok"] else io.write_error
    write(program_help(commands))
    return codes["bare"]
