"""What the pipeline is about, as data: where the rows are, what is predicted, and by which model."""

import json
from pathlib import Path


def load_settings() -> dict:
    """The settings that stand beside this file."""
    return json.loads(Path(__file__).with_name("settings.json").read_text(encoding="utf-8"))
