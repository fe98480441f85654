import math
from operator import mul

from .descent import descend


class LogisticRegression:
    """The probability of yes, as a logistic of a weighted sum."""

    def __init__(self, intercept: float = 0.0, weights: list[float] | None = None):
        self.intercept = intercept
        self.weights = weights or []

    @classmethod
    def fit(
        cls, table: list[list[float]], targets: list[int], row_weights: list[float], class_count: int, training: dict
    ) -> "LogisticRegression":
        columns = [list(column) for column in zip(*table)]
        return cls(*descend(columns, [float(target) for target in targets], row_weights, logistic, training))

    def probabilities(self, numbers: list[float]) -> list[float]:
        positive = logistic(self.intercept + sum(map(mul, self.weights, numbers)))
        return [1 - positive, positive]

    def to_json(self) -> dict:
        return {"intercept": self.intercept, "weights": self.weights}

    @classmethod
    def from_json(cls, data: dict) -> "LogisticRegression":
        return cls(data["intercept"], data["weights"])


def logistic(value: float) -> float:
    # Beyond this the exponential would overflow, and the answer is certain anyway.
    return 1 / (1 + math.exp(-min(max(value, -500.0), 500.0)))
