"""A small pipeline for tests: it learns in milliseconds."""

from copy import deepcopy

SMALL = {
    "title": "Small",
    "description": "Small data.",
    "row": "one row",
    "rows": 300,
    "seed": 5,
    "train_share": 0.8,
    "features": [
        {"name": "size", "type": "number", "distribution": "normal", "mean": 10, "stddev": 3, "min": 0},
        {"name": "count", "type": "integer", "distribution": "uniform", "min": 1, "max": 9},
        {"name": "wait", "type": "number", "distribution": "exponential", "mean": 2, "max": 20},
        {"name": "fresh", "type": "boolean", "distribution": "bernoulli", "probability": 0.5},
        {"name": "colour", "type": "category", "distribution": "categorical", "values": ["red", "blue"], "shares": [1, 2]},
    ],
    "label": {
        "name": "good",
        "type": "boolean",
        "intercept": -12.0,
        "weights": {"size": 1.0, "count": 0.4, "fresh": 2.0, "colour": {"red": 1.0, "blue": -1.0}},
        "noise": 0.2,
    },
    "model": {
        "type": "logistic_regression",
        "scaling": "standard",
        "decision_threshold": 0.5,
        "training": {
            "method": "gradient_descent",
            "epochs": 80,
            "learning_rate": 0.5,
            "l2": 0.001,
            "max_depth": 6,
            "min_rows": 4,
        },
    },
    "promises": {"accuracy": {"min": 0.8}, "log_loss": {"max": 0.6}},
    "beats_baseline_by": 0.1,
    "outputs": {"generate": "d/rows.csv", "train": "m/model.json", "evaluate": "r/metrics.json", "model_card": "CARD.md"},
    "card": {"intended_use": "Tests.", "not_for": "Anything else."},
}


def small_settings(**changes) -> dict:
    """The small settings with some of them changed."""
    return {**deepcopy(SMALL), **changes}


def numeric_label() -> dict:
    return {"name": "price", "type": "number", "intercept": 3.0, "weights": {"size": 2.0, "fresh": 5.0}, "noise": 0.1}


def three_classes() -> dict:
    scales = [
        {"intercept": 0.0, "weights": {"size": 1.0}},
        {"intercept": 6.0, "weights": {"count": 0.8}},
        {"intercept": 8.0, "weights": {"fresh": 3.0}},
    ]
    return {"name": "kind", "type": "category", "values": ["a", "b", "c"], "scales": scales, "noise": 0.1}


def with_model(label: dict, kind: str, **training) -> dict:
    settings = small_settings(label=label)
    settings["model"]["type"] = kind
    settings["model"]["training"].update(training)
    return settings
