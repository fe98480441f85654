"""Reads the words of a command line."""

import re
from datetime import datetime, timezone

from app.calculate import today
from app.errors import UsageError
from app.values import parse_value


def split_command(argv, global_options, is_command):
    """Finds the command among the words: options of the whole program may stand before it."""
    valued = [option for option in global_options if option["type"] != "boolean"]
    taking = {f"--{option['name']}" for option in valued} | {f"-{option['short']}" for option in valued if "short" in option}
    index = 0
    while index < len(argv):
        word = argv[index]
        if word == "--":
            break
        if not is_option(word):
            if word != "help" and not is_command(word):
                break
            return word, argv[:index] + argv[index + 1 :]
        index += 2 if word in taking else 1
    return None, list(argv)


def parse_arguments(words, expected, options):
    """The values by name, and the names that were given: the rest are defaults."""
    values, given, positional = {}, set(), []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            positional += rest
            rest = []
        elif is_option(word):
            read_option(word, rest, options, values, given)
        else:
            positional.append(word)
    read_positional(positional, expected, values, given)
    for field in expected + options:
        if field["name"] not in given and field.get("default") is not None:
            values[field["name"]] = default_of(field)
    for option in options:
        if option.get("required") and option["name"] not in values:
            raise UsageError(f"--{option['name']} is missing")
    return values, given


def read_option(word, rest, options, values, given):
    flag, equals, inline = word.partition("=")
    names = {f"--{option['name']}": option for option in reversed(options)}
    names.update({f"-{option['short']}": option for option in options if "short" in option})
    option = names.get(flag)
    if option is None and word[1] != "-" and len(word) > 2 and word[:2] in names:
        read_letters(word, rest, names[word[:2]], (options, values, given))
        return
    if option is None:
        raise UsageError(f"there is no option '{flag}'")
    if option["type"] == "boolean" and not equals:
        values[option["name"]] = True
    else:
        if not equals and not rest:
            raise UsageError(f"--{option['name']} needs a value")
        values[option["name"]] = parse_value(option, inline if equals else rest.pop(0))
    given.add(option["name"])


def read_letters(word, rest, first, known):
    """Several switches after one hyphen, and a value right after its letter: `-vp5` is `-v -p 5`."""
    if first["type"] != "boolean":
        read_option(word[:2], [word[2:]], *known)
        return
    read_option(word[:2], [], *known)
    read_option(f"-{word[2:]}", rest, *known)


def with_input(words, expected):
    """Where a word is missing, it is the one that comes from standard input: a hyphen stands in its place."""
    place = next((index for index, field in enumerate(expected) if field.get("stdin")), None)
    needed = [field for field in expected if not field.get("optional") and field.get("default") is None]
    if place is None or len(words) >= len(needed):
        return words
    return [*words[:place], "-", *words[place:]]


def read_positional(words, expected, values, given):
    words = with_input(words, expected)
    is_open = bool(expected) and expected[-1].get("multiple", False)
    for index, field in enumerate(expected):
        is_rest = is_open and index == len(expected) - 1
        texts = words[index:] if is_rest else words[index : index + 1]
        # A hyphen alone stands for standard input, which is read when the command runs.
        if field.get("stdin") and texts[:1] == ["-"]:
            continue
        if not texts:
            if field.get("optional") or field.get("stdin") or field.get("default") is not None:
                continue
            raise UsageError(f"{field['name']} is missing")
        parsed = [parse_value(field, text) for text in texts]
        values[field["name"]] = parsed if is_rest else parsed[0]
        given.add(field["name"])
    if not is_open and len(words) > len(expected):
        raise UsageError(f"'{words[len(expected)]}' is one argument too many")


def is_option(word):
    """A minus before a digit is a number, and a minus alone is standard input."""
    return re.match(r"-[^\d.]", word) is not None


def default_of(field):
    if field["type"] == "date" and field["default"] == "today":
        return today()
    if field["type"] == "datetime" and field["default"] == "now":
        return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return field["default"]
