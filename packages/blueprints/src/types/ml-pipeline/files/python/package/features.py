"""From rows to columns of numbers: categories become one column a value, and columns get the same scale."""

import math


class MissingFeature(ValueError):
    """A row lacks a feature, or holds something else under its name."""


def numbers_of(features: list[dict], row: dict) -> list[float]:
    """One row as numbers. Every feature must be there and of its kind."""
    numbers: list[float] = []
    for feature in features:
        name, kind = feature["name"], feature["type"]
        if name not in row:
            raise MissingFeature(f"'{name}' is missing")
        value = row[name]
        if kind == "category":
            if value not in feature["values"]:
                raise MissingFeature(f"'{name}' must be one of {', '.join(feature['values'])}")
            numbers.extend(1.0 if value == known else 0.0 for known in feature["values"])
        elif kind == "boolean":
            if not isinstance(value, bool):
                raise MissingFeature(f"'{name}' must be true or false")
            numbers.append(float(value))
        else:
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
                raise MissingFeature(f"'{name}' must be a number")
            numbers.append(float(value))
    return numbers


def column_names(features: list[dict]) -> list[str]:
    names: list[str] = []
    for feature in features:
        if feature["type"] == "category":
            names.extend(f"{feature['name']} = {value}" for value in feature["values"])
        else:
            names.append(feature["name"])
    return names


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
