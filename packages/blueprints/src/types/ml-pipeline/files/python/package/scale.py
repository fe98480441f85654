import math


class Scale:
    """Moves every column to the mean 0 and the deviation 1, as seen in training; or leaves all as they are."""

    def __init__(self, means: list[float], deviations: list[float]):
        self.means = means
        self.deviations = deviations

    @classmethod
    def fit(cls, table: list[list[float]], is_standard: bool) -> "Scale":
        columns = list(zip(*table))
        if not is_standard:
            return cls([0.0] * len(columns), [1.0] * len(columns))
        means = [math.fsum(column) / len(column) for column in columns]
        deviations = []
        for column, mean in zip(columns, means):
            variance = math.fsum((value - mean) ** 2 for value in column) / len(column)
            # A column that never changes says nothing, and must not divide by zero.
            deviations.append(math.sqrt(variance) or 1.0)
        return cls(means, deviations)

    def apply(self, numbers: list[float]) -> list[float]:
        return [(value - mean) / deviation for value, mean, deviation in zip(numbers, self.means, self.deviations)]
