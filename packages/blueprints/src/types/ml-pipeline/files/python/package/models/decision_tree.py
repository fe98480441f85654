class DecisionTree:
    """Questions of the kind "is this column at most so much?", each chosen to leave the purest two halves."""

    def __init__(self, root: dict):
        self.root = root

    @classmethod
    def fit(
        cls, table: list[list[float]], targets: list[int], row_weights: list[float], class_count: int, training: dict
    ) -> "DecisionTree":
        rows = list(zip(table, targets, row_weights))
        return cls(grow(rows, class_count, training["max_depth"], training["min_rows"]))

    def probabilities(self, numbers: list[float]) -> list[float]:
        node = self.root
        while "column" in node:
            node = node["low"] if numbers[node["column"]] <= node["at_most"] else node["high"]
        return node["shares"]

    def to_json(self) -> dict:
        return {"root": self.root}

    @classmethod
    def from_json(cls, data: dict) -> "DecisionTree":
        return cls(data["root"])


def grow(rows: list, class_count: int, depth: int, min_rows: int) -> dict:
    counts = count_classes(rows, class_count)
    leaf = {"shares": [count / sum(counts) for count in counts]}
    if depth == 0 or len(rows) < 2 * min_rows or max(counts) == sum(counts):
        return leaf
    split = best_split(rows, counts, min_rows)
    if split is None:
        return leaf
    column, at_most = split
    low = [row for row in rows if row[0][column] <= at_most]
    high = [row for row in rows if row[0][column] > at_most]
    return {
        "column": column,
        "at_most": at_most,
        "low": grow(low, class_count, depth - 1, min_rows),
        "high": grow(high, class_count, depth - 1, min_rows),
    }


def best_split(rows: list, counts: list[float], min_rows: int) -> tuple[int, float] | None:
    """The question that leaves the least mixture; nothing if none leaves less than there is."""
    best, least = None, mixture(counts) - 1e-12
    for column in range(len(rows[0][0])):
        ordered = sorted((numbers[column], target, weight) for numbers, target, weight in rows)
        low, high = [0.0] * len(counts), counts[:]
        for index, (value, target, weight) in enumerate(ordered[:-1]):
            low[target] += weight
            high[target] -= weight
            following = ordered[index + 1][0]
            if following == value or index + 1 < min_rows or len(rows) - index - 1 < min_rows:
                continue
            mixed = mixture(low) + mixture(high)
            if mixed < least:
                best, least = (column, (value + following) / 2), mixed
    return best


def count_classes(rows: list, class_count: int) -> list[float]:
    counts = [0.0] * class_count
    for _, target, weight in rows:
        counts[target] += weight
    return counts


def mixture(counts: list[float]) -> float:
    """The Gini impurity, times the weight of the rows."""
    total = sum(counts)
    return total - sum(count * count for count in counts) / total if total else 0.0
