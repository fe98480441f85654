"""The config file: a JSON object with values of options."""

import json

from app.errors import Failure
from app.program import GLOBAL_OPTIONS, PROGRAM


def apply_config(values, given, env):
    """Fills in what was not given on the command line."""
    file = values.get("config") or env.get(PROGRAM["config_variable"])
    if not file:
        return values, given
    config = read_config(file)
    merged, known = dict(values), set(given)
    for option in GLOBAL_OPTIONS:
        name, is_switch = option["name"], option["type"] == "boolean"
        if name in given or name not in config:
            continue
        if not isinstance(config[name], bool if is_switch else str):
            raise Failure(f"{name} in {file} must be {'true or false' if is_switch else 'a text'}")
        merged[name] = config[name]
        known.add(name)
    return merged, known


def read_config(file):
    try:
        with open(file, encoding="utf-8") as stream:
            config = json.load(stream)
    except (OSError, ValueError) as error:
        raise Failure(f"the config file {file} cannot be read: {error}") from error
    if not isinstance(config, dict):
        raise Failure(f"the config file {file} is no JSON object")
    return config
