"""Predicts by a model that was trained on rows: `load_model().predict({...})`."""

from pathlib import Path

from .learning import Trained
from .settings import load_settings
from .steps import Pipeline


def load_model(folder: Path = Path(".")) -> Trained:
    """The model of the project in this folder; it is trained first where that has not been done."""
    return Pipeline(load_settings(), folder).trained()
