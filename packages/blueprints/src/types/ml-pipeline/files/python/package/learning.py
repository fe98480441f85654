"""A trained model with all that belongs to it: how rows become numbers, and how its numbers become an answer."""

import json
from collections import Counter

from .columns import column_names, encode, fit_columns, refuse_unseen
from .dataset import Dataset
from .models import MODELS
from .scale import Scale


class Trained:
    """A model that predicts rows."""

    def __init__(self, about: dict, scale: Scale, model):
        self.about = about
        self.scale = scale
        self.model = model

    def answer(self, row: dict) -> dict:
        """The label and, of classes, a probability: of two, that of the positive one."""
        name, classes = self.about["label"], self.about["classes"]
        if not classes:
            return {name: round(self.model.value(self.numbers(row)), 4)}
        probabilities = self.probabilities(row)
        if len(classes) == 2:
            is_positive = probabilities[1] >= self.about["decision_threshold"]
            return {name: classes[int(is_positive)], "probability": round(probabilities[1], 4)}
        best = probabilities.index(max(probabilities))
        return {name: classes[best], "probability": round(probabilities[best], 4)}

    def predict(self, row: dict) -> dict:
        """The same of a row that is not of the data: what it could not have learnt of is refused."""
        refuse_unseen(self.about["columns"], row)
        return self.answer(row)

    def probabilities(self, row: dict) -> list[float]:
        return self.model.probabilities(self.numbers(row))

    def numbers(self, row: dict) -> list[float]:
        return self.scale.apply(encode(self.about["columns"], row))

    def to_json(self) -> str:
        scale = {"means": self.scale.means, "deviations": self.scale.deviations}
        inputs = column_names(self.about["columns"])
        return json.dumps({**self.about, "inputs": inputs, **scale, "model": self.model.to_json()}, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Trained":
        data = json.loads(text)
        return cls(data, Scale(data["means"], data["deviations"]), MODELS[data["type"]].from_json(data["model"]))


def train(dataset: Dataset, rows: list[dict], **changes) -> Trained:
    """A model of these rows, which are those of the data set to learn from."""
    settings = {**dataset.settings["model"], **changes}
    kind = settings["type"] or dataset.model_type
    columns = fit_columns(dataset.columns, rows, dataset.rows)
    table = [encode(columns, row) for row in rows]
    scale = Scale.fit(table, settings["scaling"] == "standard")
    labels = [row[dataset.settings["label"]] for row in rows]
    targets = [dataset.classes.index(label) for label in labels] if dataset.classes else labels
    weights = row_weights(targets, len(dataset.classes), settings["class_weight"] == "balanced")
    scaled = [scale.apply(numbers) for numbers in table]
    model = MODELS[kind].fit(scaled, targets, weights, len(dataset.classes), settings["training"])
    about = {
        "type": kind,
        "label": dataset.settings["label"],
        "classes": dataset.classes,
        "decision_threshold": settings["decision_threshold"],
        "columns": columns,
    }
    return Trained(about, scale, model)


def row_weights(targets: list, class_count: int, is_balanced: bool) -> list[float]:
    """How much each row counts; balanced, all classes count the same together."""
    if class_count == 0 or not is_balanced:
        return [1.0] * len(targets)
    counts = Counter(targets)
    return [len(targets) / (class_count * counts[target]) for target in targets]
