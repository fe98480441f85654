"""The steps of the pipeline. Each first runs those before it whose result is missing."""

import json
from pathlib import Path

from .data import generate_rows, read_rows, split_rows, write_rows
from .evaluation import evaluate
from .learning import Trained, train
from .metrics import missed_promises
from .model_card import model_card


class Pipeline:
    """The steps, on the files of one folder."""

    def __init__(self, settings: dict, folder: Path):
        self.settings = settings
        self.folder = folder

    def path(self, output: str) -> Path:
        return self.folder / self.settings["outputs"][output]

    def generate(self) -> list[dict]:
        rows = generate_rows(self.settings)
        write_rows(self.settings, rows, self.path("generate"))
        return rows

    def rows(self) -> list[dict]:
        path = self.path("generate")
        return read_rows(self.settings, path) if path.exists() else self.generate()

    def train(self) -> Trained:
        training_rows, _ = split_rows(self.settings, self.rows())
        trained = train(self.settings, training_rows)
        trained.save(self.path("train"))
        return trained

    def trained(self) -> Trained:
        path = self.path("train")
        return Trained.load(self.settings, path) if path.exists() else self.train()

    def evaluate(self) -> tuple[dict, list[str]]:
        """The report, and which promises were missed."""
        trained = self.trained()
        report = evaluate(trained, *split_rows(self.settings, self.rows()))
        missed = missed_promises(self.settings, report)
        write(self.path("evaluate"), json.dumps({**report, "missed": missed}, indent=2) + "\n")
        write(self.path("model_card"), model_card(self.settings, report, missed))
        return report, missed


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
