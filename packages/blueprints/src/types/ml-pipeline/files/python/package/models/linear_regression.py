from operator import mul

from .descent import descend


class LinearRegression:
    """A number, as a weighted sum."""

    def __init__(self, intercept: float = 0.0, weights: list[float] | None = None):
        self.intercept = intercept
        self.weights = weights or []

    @classmethod
    def fit(
        cls, table: list[list[float]], targets: list[float], row_weights: list[float], class_count: int, training: dict
    ) -> "LinearRegression":
        columns = [list(column) for column in zip(*table)]
        if training["method"] == "gradient_descent":
            return cls(*descend(columns, targets, row_weights, float, training))
        return cls(*least_squares(columns, targets, training["l2"]))

    def value(self, numbers: list[float]) -> float:
        return self.intercept + sum(map(mul, self.weights, numbers))

    def to_json(self) -> dict:
        return {"intercept": self.intercept, "weights": self.weights}

    @classmethod
    def from_json(cls, data: dict) -> "LinearRegression":
        return cls(data["intercept"], data["weights"])


def least_squares(columns: list[list[float]], targets: list[float], l2: float) -> tuple[float, list[float]]:
    """The intercept and weights with the least squared error, from the normal equations."""
    count = len(targets)
    known = [[1.0] * count, *columns]
    system = [[sum(map(mul, a, b)) / count for b in known] + [sum(map(mul, a, targets)) / count] for a in known]
    for index in range(1, len(known)):
        # Columns that say the same, such as all values of a category, have a solution only with a little of this.
        system[index][index] += max(l2, 1e-9)
    intercept, *weights = solve(system)
    return intercept, weights


def solve(system: list[list[float]]) -> list[float]:
    """The solution of linear equations, by elimination; the last column holds the right sides."""
    rows = [row[:] for row in system]
    size = len(rows)
    for step in range(size):
        pivot = max(range(step, size), key=lambda index: abs(rows[index][step]))
        rows[step], rows[pivot] = rows[pivot], rows[step]
        for index in range(size):
            if index != step:
                factor = rows[index][step] / rows[step][step]
                rows[index] = [value - factor * other for value, other in zip(rows[index], rows[step])]
    return [rows[index][size] / rows[index][index] for index in range(size)]
