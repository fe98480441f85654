"""The steps of the pipeline. Each first runs those before it whose result is missing or of other data."""

import hashlib
import json
from pathlib import Path

from .dataset import Dataset
from .evaluation import evaluate, missed
from .learning import Trained, train
from .model_card import model_card
from .table import BadData, parse_table


class Pipeline:
    """The steps, on the files of one folder."""

    def __init__(self, settings: dict, folder: Path):
        self.settings = settings
        self.folder = folder

    def path(self, output: str) -> Path:
        return self.folder / self.settings["outputs"][output]

    def text(self) -> str:
        """The rows as they were given."""
        place = self.settings["data"]
        if place is None:
            raise BadData("there is no data: name a file in data.file of the document, or write the rows into it")
        path = self.folder / place
        if not path.exists():
            raise BadData(f"{place} is not there: add it to the source of the project")
        return path.read_text(encoding="utf-8")

    def prepare(self) -> Dataset:
        kind = "json" if self.settings["data"] is not None and self.settings["data"].endswith(".json") else "csv"
        return Dataset(self.settings, parse_table(self.text(), self.settings["missing_values"], kind))

    def train(self) -> Trained:
        dataset = self.prepare()
        trained = train(dataset, dataset.split()[0])
        trained.about["trained_on"] = self.fingerprint()
        write(self.path("model"), trained.to_json())
        return trained

    def trained(self) -> Trained:
        """The model that was trained on the data as it is now."""
        path = self.path("model")
        if path.exists():
            trained = Trained.from_json(path.read_text(encoding="utf-8"))
            if trained.about.get("trained_on") == self.fingerprint():
                return trained
        return self.train()

    def fingerprint(self) -> str:
        settings = json.dumps({**self.settings, "title": "", "description": ""}, sort_keys=True)
        return hashlib.sha256(f"{settings}\n{self.text()}".encode()).hexdigest()

    def evaluate(self, limits: dict) -> tuple[dict, list[str]]:
        """The report, and what was missed."""
        dataset, trained = self.prepare(), self.trained()
        report = evaluate(dataset, trained, *dataset.split())
        for name in [*limits["min"], *limits["max"]]:
            if name not in report["metrics"]:
                raise BadData(f"{name} is not measured; there are {', '.join(report['metrics'])}")
        sentences = missed(self.settings, report, limits)
        write(self.path("metrics"), json.dumps({**report, "missed": sentences}, indent=2) + "\n")
        write(self.path("model_card"), model_card(dataset, report, sentences))
        return report, sentences


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
