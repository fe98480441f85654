"""Rows that a written rule makes, and the files they are kept in. The same settings always make the same rows."""

import csv
import random
from pathlib import Path

from .settings import classes_of


def generate_rows(settings: dict) -> list[dict]:
    """All rows, drawn from the seed and from nothing else."""
    source = random.Random(settings["seed"])
    return [generate_row(settings, source) for _ in range(settings["rows"])]


def generate_row(settings: dict, source: random.Random) -> dict:
    row = {feature["name"]: draw(feature, source) for feature in settings["features"]}
    return {**row, settings["label"]["name"]: label_of(settings, row, source)}


def draw(feature: dict, source: random.Random):
    """One value of a feature."""
    distribution = feature["distribution"]
    if distribution == "bernoulli":
        return source.random() < feature["probability"]
    if distribution == "categorical":
        return source.choices(feature["values"], feature["shares"])[0]
    if distribution == "uniform":
        value = source.uniform(feature["min"], feature["max"])
    elif distribution == "exponential":
        value = source.expovariate(1 / feature["mean"])
    else:
        value = source.gauss(feature["mean"], feature["stddev"])
    value = min(max(value, feature.get("min", value)), feature.get("max", value))
    return round(value) if feature["type"] == "integer" else round(value, 4)


def label_of(settings: dict, row: dict, source: random.Random):
    """The truth about a row: a weighted sum with some noise, as a number, a yes or no, or the highest of several."""
    label = settings["label"]
    noise = source.gauss(0, label["noise"]) if label["noise"] > 0 else 0.0
    if label["type"] == "number":
        return round(weighted_sum(label, row) + noise, 4)
    if label["type"] == "boolean":
        return weighted_sum(label, row) + noise > 0
    scores = [weighted_sum(scale, row) for scale in label["scales"]]
    scores[0] += noise
    return classes_of(settings)[scores.index(max(scores))]


def weighted_sum(scale: dict, row: dict) -> float:
    total = scale["intercept"]
    for name, weight in scale["weights"].items():
        value = row[name]
        # A weight of a category is a number for each of its values.
        total += weight.get(value, 0.0) if isinstance(weight, dict) else weight * float(value)
    return total


def split_rows(settings: dict, rows: list[dict]) -> tuple[list[dict], list[dict]]:
    """The rows to learn from, and those that the model has never seen."""
    shuffled = rows[:]
    random.Random(settings["seed"] + 1).shuffle(shuffled)
    count = min(max(round(len(rows) * settings["train_share"]), 1), len(rows) - 1)
    return shuffled[:count], shuffled[count:]


def write_rows(settings: dict, rows: list[dict], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    names = [feature["name"] for feature in settings["features"]] + [settings["label"]["name"]]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for row in rows:
            writer.writerow([write_value(row[name]) for name in names])


def write_value(value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_rows(settings: dict, path: Path) -> list[dict]:
    kinds = {feature["name"]: feature["type"] for feature in settings["features"]}
    kinds[settings["label"]["name"]] = settings["label"]["type"]
    with path.open(encoding="utf-8", newline="") as file:
        return [{name: read_value(kinds[name], text) for name, text in row.items()} for row in csv.DictReader(file)]


def read_value(kind: str, text: str):
    if kind == "boolean":
        return text == "true"
    if kind == "integer":
        return int(text)
    return float(text) if kind == "number" else text
