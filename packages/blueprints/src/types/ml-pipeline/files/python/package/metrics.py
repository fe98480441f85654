"""How good predictions are. All functions take the truth first."""

import math

SMALLER_IS_BETTER = ("log_loss", "mae", "rmse")


def accuracy(truths: list, predictions: list) -> float:
    return sum(truth == prediction for truth, prediction in zip(truths, predictions)) / len(truths)


def precision_recall_f1(truths: list, predictions: list, positive) -> tuple[float, float, float]:
    """For one class; 0 where there is nothing to divide by."""
    pairs = list(zip(truths, predictions))
    hits = sum(truth == positive and prediction == positive for truth, prediction in pairs)
    predicted = sum(prediction == positive for _, prediction in pairs)
    actual = sum(truth == positive for truth, _ in pairs)
    precision = hits / predicted if predicted else 0.0
    recall = hits / actual if actual else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return precision, recall, f1


def roc_auc(truths: list[bool], scores: list[float]) -> float:
    """How often a positive row has the higher score than a negative one; ties count half."""
    positives = sum(truths)
    negatives = len(truths) - positives
    if positives == 0 or negatives == 0:
        return 0.5
    ordered = sorted(zip(scores, truths))
    rank_sum, start = 0.0, 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and ordered[end][0] == ordered[start][0]:
            end += 1
        mean_rank = (start + 1 + end) / 2
        rank_sum += mean_rank * sum(truth for _, truth in ordered[start:end])
        start = end
    return (rank_sum - positives * (positives + 1) / 2) / (positives * negatives)


def log_loss(probabilities_of_truth: list[float]) -> float:
    return -math.fsum(math.log(max(probability, 1e-15)) for probability in probabilities_of_truth) / len(
        probabilities_of_truth
    )


def classification_metrics(truths: list, predictions: list, probabilities: list[list[float]], classes: list) -> dict:
    """Of two classes, precision, recall and F1 are those of the last; of more, the means over all."""
    counted = classes[1:] if len(classes) == 2 else classes
    scores = [precision_recall_f1(truths, predictions, one) for one in counted]
    precision, recall, f1 = (sum(values) / len(scores) for values in zip(*scores))
    of_truth = [row[classes.index(truth)] for truth, row in zip(truths, probabilities)]
    areas = [
        roc_auc([truth == one for truth in truths], [row[classes.index(one)] for row in probabilities])
        for one in counted
    ]
    recalls = [precision_recall_f1(truths, predictions, one)[1] for one in classes if one in truths]
    return {
        "accuracy": accuracy(truths, predictions),
        "balanced_accuracy": sum(recalls) / len(recalls),
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "roc_auc": sum(areas) / len(areas),
        "log_loss": log_loss(of_truth),
    }


def regression_metrics(truths: list[float], predictions: list[float]) -> dict:
    errors = [prediction - truth for truth, prediction in zip(truths, predictions)]
    mean = math.fsum(truths) / len(truths)
    squared = math.fsum(error * error for error in errors)
    spread = math.fsum((truth - mean) ** 2 for truth in truths)
    return {
        "r2": 1 - squared / spread if spread else 0.0,
        "mae": math.fsum(map(abs, errors)) / len(errors),
        "rmse": math.sqrt(squared / len(errors)),
    }


def class_report(truths: list, predictions: list, classes: list) -> list[dict]:
    """Of each class: how many rows it has, how many of them were found, and what they were taken for."""
    report = []
    for one in classes:
        precision, recall, _ = precision_recall_f1(truths, predictions, one)
        taken = [prediction for truth, prediction in zip(truths, predictions) if truth == one]
        taken_for = [{"class": other, "rows": taken.count(other)} for other in classes]
        report.append({"class": one, "rows": len(taken), "precision": precision, "recall": recall, "taken_for": taken_for})
    return report
