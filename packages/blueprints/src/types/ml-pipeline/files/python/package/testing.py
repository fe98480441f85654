"""A small data set for tests of the code: it is learnt in milliseconds, and has nothing to do with the project's own."""

from copy import deepcopy

from .dataset import Dataset
from .evaluation import evaluate
from .learning import Trained, train

SMALL = {
    "title": "Small",
    "description": "Small data.",
    "row": "One row",
    "data": "rows.csv",
    "data_kind": "given",
    "label": "good",
    "positive": None,
    "ignore": ["price", "kind"],
    "columns": {},
    "missing_values": ["NA"],
    "split": {"test": 0.25, "seed": 5},
    "model": {
        "type": None,
        "task": None,
        "class_weight": "none",
        "scaling": "standard",
        "decision_threshold": 0.5,
        "training": {
            "method": "least_squares",
            "epochs": 150,
            "learning_rate": 0.5,
            "l2": 0.001,
            "max_depth": 5,
            "min_rows": 3,
        },
        "baseline": "most_usual",
        "metric": None,
        "beats_baseline_by": 0,
    },
    "outputs": {"model": "m/model.json", "metrics": "r/metrics.json", "model_card": "CARD.md"},
    "steps": {"prepare": "prepare", "train": "train", "evaluate": "evaluate", "predict": "predict"},
    "card": {"intended_use": "Tests.", "not_for": "Anything else."},
}

GOOD_ROW = {"size": 18.0, "count": 2, "fresh": True, "colour": "red", "since": "2026-01-05"}


def small_rows(count: int = 240) -> list[dict]:
    """Rows whose labels follow from their values; some values are missing."""
    rows = []
    for number in range(count):
        size, fresh = number * 37 % 101 / 5, number * 7 % 5 < 2
        colour, amount = ("red", "blue", "green")[number * 11 % 3], number * 17 % 9 + 1
        rows.append(
            {
                "size": None if number % 12 == 5 else size,
                "count": amount,
                "fresh": fresh,
                "colour": None if number % 20 == 7 else colour,
                "since": f"2026-01-{number % 28 + 1:02}",
                "price": 3 + 2 * size + (5 if fresh else 0),
                "kind": "a" if size > 13 else "b" if amount > 5 else "c",
                "good": size + (2 if fresh else 0) + (3 if colour == "red" else 0) > 12,
            }
        )
    return rows


def small_settings(label: str = "good", changes: dict | None = None, **model) -> dict:
    """The small settings for one of the three labels, with parts of the model changed."""
    settings = {**deepcopy(SMALL), "label": label, **(changes or {})}
    settings["ignore"] = [name for name in ("good", "price", "kind") if name != label]
    settings["model"] = {**settings["model"], **model}
    return settings


def learn(settings: dict, rows: list[dict] | None = None) -> tuple[Dataset, Trained, dict]:
    dataset = Dataset(settings, small_rows() if rows is None else rows)
    training, testing = dataset.split()
    trained = train(dataset, training)
    return dataset, trained, evaluate(dataset, trained, training, testing)
