"""The model and a baseline, measured on rows that neither has seen."""

from .dataset import Dataset
from .learning import Trained, train
from .metrics import SMALLER_IS_BETTER, classification_metrics, class_report, regression_metrics


def evaluate(dataset: Dataset, trained: Trained, training: list[dict], testing: list[dict]) -> dict:
    """All metrics of both, and by how much the model is better."""
    settings, name = dataset.settings, dataset.settings["label"]
    truths = [row[name] for row in testing]
    metrics = measure(dataset, trained, testing, truths)
    answer, baseline = baseline_of(dataset, training, testing, truths)
    metric = settings["model"]["metric"] or default_metric(dataset)
    if metric not in metrics:
        raise ValueError(f"{metric} is not measured of this label; there are {', '.join(metrics)}")
    sign = -1 if metric in SMALLER_IS_BETTER else 1
    report = {
        "data": settings["data_kind"],
        "rows": {
            "given": dataset.given,
            "without_label": dataset.unlabelled,
            "dropped": dataset.dropped,
            "train": len(training),
            "test": len(testing),
        },
        "left_out": dataset.left_out,
        "metrics": metrics,
        "baseline": {"answer": answer, **baseline},
        "compared_by": metric,
        "beats_baseline_by": sign * (metrics[metric] - baseline[metric]),
    }
    if dataset.classes:
        predictions = [trained.answer(row)[name] for row in testing]
        report["classes"] = class_report(truths, predictions, dataset.classes)
    return report


def measure(dataset: Dataset, trained: Trained, testing: list[dict], truths: list) -> dict:
    predictions = [trained.answer(row)[dataset.settings["label"]] for row in testing]
    if dataset.is_regression:
        return regression_metrics(truths, predictions)
    probabilities = [trained.probabilities(row) for row in testing]
    return classification_metrics(truths, predictions, probabilities, dataset.classes)


def baseline_of(dataset: Dataset, training: list[dict], testing: list[dict], truths: list) -> tuple[str, dict]:
    name, classes = dataset.settings["label"], dataset.classes
    known = [row[name] for row in training]
    if dataset.is_regression:
        usual = sum(known) / len(known)
        return f"always {usual:.4f}", regression_metrics(truths, [usual] * len(truths))
    if dataset.settings["model"]["baseline"] == "one_question":
        stump = train(dataset, training, type="decision_tree", training={"max_depth": 1, "min_rows": 1})
        return "one question", measure(dataset, stump, testing, truths)
    counts = [known.count(one) for one in classes]
    usual = classes[counts.index(max(counts))]
    shares = [count / len(known) for count in counts]
    return f"always {usual}", classification_metrics(truths, [usual] * len(truths), [shares] * len(truths), classes)


def default_metric(dataset: Dataset) -> str:
    if dataset.is_regression:
        return "r2"
    return "balanced_accuracy" if dataset.settings["model"]["class_weight"] == "balanced" else "accuracy"


def missed(settings: dict, report: dict, limits: dict) -> list[str]:
    """What the model did not reach, each as a sentence with the numbers."""
    metric, margin, wanted = report["compared_by"], report["beats_baseline_by"], settings["model"]["beats_baseline_by"]
    sentences = []
    if not (margin > 0 and margin >= wanted):
        must = f" and must be better by {wanted}" if wanted else ""
        sentences.append(
            f"the model does not beat the baseline{must}: {metric} is {report['metrics'][metric]:.4f}, and "
            f"{report['baseline'][metric]:.4f} for {report['baseline']['answer']}"
        )
    for side, word in (("min", "at least"), ("max", "at most")):
        for name, limit in limits[side].items():
            value = report["metrics"][name]
            if not (value >= limit if side == "min" else value <= limit):
                sentences.append(f"{name} is {value:.4f} and must be {word} {limit:g}")
    return sentences
