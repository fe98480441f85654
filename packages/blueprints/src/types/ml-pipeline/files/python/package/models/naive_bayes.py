import math


class NaiveBayes:
    """How likely each class is, if every column had a normal distribution of its own in each class."""

    def __init__(self, classes: list[dict]):
        self.classes = classes

    @classmethod
    def fit(
        cls, table: list[list[float]], targets: list[int], row_weights: list[float], class_count: int, training: dict
    ) -> "NaiveBayes":
        classes = []
        for number in range(class_count):
            rows = [row for row, target in zip(table, targets) if target == number]
            counted = sum(weight for weight, target in zip(row_weights, targets) if target == number)
            share = (counted + 1) / (sum(row_weights) + class_count)
            columns = list(zip(*rows)) if rows else [(0.0,)] * len(table[0])
            means = [math.fsum(column) / len(column) for column in columns]
            variances = [
                math.fsum((value - mean) ** 2 for value in column) / len(column) + 1e-3
                for column, mean in zip(columns, means)
            ]
            classes.append({"share": share, "means": means, "variances": variances})
        return cls(classes)

    def probabilities(self, numbers: list[float]) -> list[float]:
        logs = [self.log_likelihood(known, numbers) for known in self.classes]
        highest = max(logs)
        likelihoods = [math.exp(log - highest) for log in logs]
        return [likelihood / sum(likelihoods) for likelihood in likelihoods]

    @staticmethod
    def log_likelihood(known: dict, numbers: list[float]) -> float:
        total = math.log(known["share"])
        for value, mean, variance in zip(numbers, known["means"], known["variances"]):
            total -= (value - mean) ** 2 / (2 * variance) + math.log(variance) / 2
        return total

    def to_json(self) -> dict:
        return {"classes": self.classes}

    @classmethod
    def from_json(cls, data: dict) -> "NaiveBayes":
        return cls(data["classes"])
