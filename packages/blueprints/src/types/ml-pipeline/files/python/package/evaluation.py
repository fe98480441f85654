"""The model and a baseline, measured on rows that neither has seen."""

from .learning import Trained
from .metrics import accuracy, classification_metrics, regression_metrics
from .settings import classes_of, is_regression


def evaluate(trained: Trained, training_rows: list[dict], test_rows: list[dict]) -> dict:
    """All metrics, and by how much the model is better than answering the same to everything."""
    settings = trained.settings
    name = settings["label"]["name"]
    truths = [row[name] for row in test_rows]
    known = [row[name] for row in training_rows]
    predictions = [trained.predict(row)[name] for row in test_rows]
    if is_regression(settings):
        usual = sum(known) / len(known)
        baseline = regression_metrics(truths, [usual] * len(truths))
        metrics = regression_metrics(truths, predictions)
        margin = metrics["r2"] - baseline["r2"]
    else:
        # Sorted first, so that a draw does not depend on the order of a set.
        usual = max(sorted(set(known), key=str), key=known.count)
        baseline = {"accuracy": accuracy(truths, [usual] * len(truths))}
        probabilities = [trained.probabilities(row) for row in test_rows]
        metrics = classification_metrics(truths, predictions, probabilities, classes_of(settings))
        margin = metrics["accuracy"] - baseline["accuracy"]
    return {
        "rows": {"train": len(training_rows), "test": len(test_rows)},
        "metrics": metrics,
        "baseline": {"answer": usual, **baseline},
        "beats_baseline_by": margin,
    }
