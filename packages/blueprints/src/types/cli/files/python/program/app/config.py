"""The config file: a JSON object with values of options."""

import json

from app.errors import Failure
from app.program import GLOBAL_OPTIONS, PROGRAM
from app.values import parse_value


def apply_config(values, given, env):
    """Fills in what was not given on the command line."""
    file = values.get("config") or env.get(PROGRAM["config_variable"])
    if not file:
        return values, given
    config = read_config(file)
    merged, known = dict(values), set(given)
    for option in GLOBAL_OPTIONS:
        name = option["name"]
        if name in given or name not in config:
            continue
        merged[name] = value_in(config[name], option, file)
        known.add(name)
    return merged, known


def value_in(value, option, file):
    """What the config file says must keep to the same rules as what is typed."""
    is_switch = option["type"] == "boolean"
    if isinstance(value, bool) != is_switch or not isinstance(value, (bool, str, int, float)):
        raise Failure(f"{option['name']} in {file} must be {'true or false' if is_switch else 'a text or a number'}")
    if is_switch:
        return value
    try:
        return parse_value(option, str(value))
    except Failure as error:
        raise Failure(f"{file}: {error}") from error


def read_config(file):
    try:
        with open(file, encoding="utf-8") as stream:
            config = json.load(stream)
    except (OSError, ValueError) as error:
        raise Failure(f"the config file {file} cannot be read: {error}") from error
    if not isinstance(config, dict):
        raise Failure(f"the config file {file} is no JSON object")
    return config
