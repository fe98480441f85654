"""Gradient descent for models that are a weighted sum with something around it."""

from operator import add, mul, sub


def descend(
    columns: list[list[float]], targets: list[float], row_weights: list[float], activate, training: dict
) -> tuple[float, list[float]]:
    """
    The intercept and the weights after so many epochs over all rows, each of which counts by its weight. `activate` turns a weighted sum into an estimate;
    the gradient is the same for a logistic and for a plain sum.
    """
    count, total = len(targets), sum(row_weights)
    intercept, weights = 0.0, [0.0] * len(columns)
    for _ in range(training["epochs"]):
        estimates = map(activate, weighted_sums(intercept, weights, columns, count))
        errors = list(map(mul, row_weights, map(sub, estimates, targets)))
        intercept -= training["learning_rate"] * sum(errors) / total
        gradient = [sum(map(mul, errors, column)) / total for column in columns]
        weights = [
            weight - training["learning_rate"] * (slope + training["l2"] * weight)
            for weight, slope in zip(weights, gradient)
        ]
    return intercept, weights


def weighted_sums(intercept: float, weights: list[float], columns: list[list[float]], count: int) -> list[float]:
    # Column by column, since the loops then run inside the interpreter and not in Python.
    sums = [intercept] * count
    for weight, column in zip(weights, columns):
        sums = list(map(add, sums, map(weight.__mul__, column)))
    return sums
