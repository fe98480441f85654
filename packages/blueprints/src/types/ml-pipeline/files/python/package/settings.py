"""What the pipeline is about, as data: the columns, the rule behind the label, the model and what it must achieve."""

import json
from pathlib import Path


def load_settings() -> dict:
    """The settings that stand beside this file."""
    return json.loads(Path(__file__).with_name("settings.json").read_text(encoding="utf-8"))


def is_regression(settings: dict) -> bool:
    return settings["label"]["type"] == "number"


def classes_of(settings: dict) -> list:
    """The values that a label can have; the last of two is the one that counts as positive."""
    label = settings["label"]
    return [False, True] if label["type"] == "boolean" else label["values"]
