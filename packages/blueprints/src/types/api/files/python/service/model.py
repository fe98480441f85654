"""What the service is about, read from the folder `model`."""

import json
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "model"


def load_model(folder=FOLDER):
    """The service itself, and a file for each resource and route."""
    service = _read(folder / "service.json")
    return {**service, "resources": _read_all(folder / "resources"), "routes": _read_all(folder / "routes")}


def _read_all(folder):
    return [_read(path) for path in sorted(folder.glob("*.json"))]


def _read(path):
    return json.loads(path.read_text(encoding="utf-8"))
