"""A trained model with all that belongs to it: how rows become numbers, and how its numbers become an answer."""

import json
from pathlib import Path

from .features import Scale, column_names, numbers_of
from .models import MODELS
from .settings import classes_of, is_regression


class Trained:
    """A model that predicts rows."""

    def __init__(self, settings: dict, scale: Scale, model):
        self.settings = settings
        self.scale = scale
        self.model = model

    def predict(self, row: dict) -> dict:
        """The label and, unless it is a number, how probable it is."""
        name = self.settings["label"]["name"]
        numbers = self.scale.apply(numbers_of(self.settings["features"], row))
        if is_regression(self.settings):
            return {name: round(self.model.value(numbers), 4)}
        probabilities = self.model.probabilities(numbers)
        classes = classes_of(self.settings)
        if classes == [False, True]:
            is_positive = probabilities[1] >= self.settings["model"]["decision_threshold"]
            return {name: is_positive, "probability": round(probabilities[1], 4)}
        best = probabilities.index(max(probabilities))
        return {name: classes[best], "probability": round(probabilities[best], 4)}

    def probabilities(self, row: dict) -> list[float]:
        return self.model.probabilities(self.scale.apply(numbers_of(self.settings["features"], row)))

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        data = {
            "type": self.settings["model"]["type"],
            "label": self.settings["label"]["name"],
            "columns": column_names(self.settings["features"]),
            "means": self.scale.means,
            "deviations": self.scale.deviations,
            "model": self.model.to_json(),
        }
        path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, settings: dict, path: Path) -> "Trained":
        data = json.loads(path.read_text(encoding="utf-8"))
        scale = Scale(data["means"], data["deviations"])
        return cls(settings, scale, MODELS[data["type"]].from_json(data["model"]))


def train(settings: dict, rows: list[dict]) -> Trained:
    table = [numbers_of(settings["features"], row) for row in rows]
    scale = Scale.fit(table, settings["model"]["scaling"] == "standard")
    scaled = [scale.apply(numbers) for numbers in table]
    labels = [row[settings["label"]["name"]] for row in rows]
    classes = [] if is_regression(settings) else classes_of(settings)
    targets = [classes.index(label) for label in labels] if classes else labels
    model = MODELS[settings["model"]["type"]].fit(scaled, targets, len(classes), settings["model"]["training"])
    return Trained(settings, scale, model)
