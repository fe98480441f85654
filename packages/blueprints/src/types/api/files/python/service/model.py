"""What the service is about, read from the folder `model`."""

import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "model"


def load_model(folder=FOLDER):
    """The service itself, and a file for each resource."""
    service = _read(folder / "service.json")
    resources = [_read(folder / "resources" / f"{name}.json") for name in service["resources"]]
    return {**service, "resources": resources}


def _read(path):
    return json.loads(path.read_text(encoding="utf-8"))
