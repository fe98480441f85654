"""The rows of the project as a data set: columns, label, and the division into rows to learn from and to measure on."""

import random

from .columns import complete_rows, infer_columns
from .table import BadData
from .values import to_class, to_number, to_text

FITTING = {
    "regression": ["linear_regression"],
    "two": ["logistic_regression", "naive_bayes", "decision_tree"],
    "several": ["naive_bayes", "decision_tree"],
}


class Dataset:
    """Rows with a label, and what their columns are."""

    def __init__(self, settings: dict, rows: list[dict]):
        self.settings = settings
        name = settings["label"]
        if not any(name in row for row in rows):
            raise BadData(f"no column is called '{name}', which is to be predicted")
        self.columns, self.left_out = infer_columns(settings, rows)
        if not self.columns:
            raise BadData("there is no column to learn from")
        labelled = [row for row in rows if row.get(name) is not None]
        kept = complete_rows(self.columns, labelled)
        self.given, self.unlabelled, self.dropped = len(rows), len(rows) - len(labelled), len(labelled) - len(kept)
        self.is_regression = task_of(settings, [row[name] for row in kept]) == "regression"
        self.rows = [{**row, name: label_value(self.is_regression, name, row)} for row in kept]
        labels = [row[name] for row in self.rows]
        self.classes = [] if self.is_regression else ordered_classes(labels, settings["positive"])
        if len(set(map(to_text, labels))) < 2:
            raise BadData(f"'{name}' has the same value in every row: there is nothing to learn")
        self.model_type = choose_model(settings, self.is_regression, len(self.classes))

    def split(self) -> tuple[list[dict], list[dict]]:
        """The rows to learn from, and those that the model never sees; each class in its share."""
        source = random.Random(self.settings["split"]["seed"])
        name = self.settings["label"]
        groups = [[row for row in self.rows if row[name] == one] for one in self.classes] or [self.rows[:]]
        training, testing = [], []
        for group in groups:
            source.shuffle(group)
            count = round(len(group) * self.settings["split"]["test"])
            count = min(max(count, 1), len(group) - 1)
            testing.extend(group[:count])
            training.extend(group[count:])
        if not testing:
            raise BadData("there are too few rows to measure on some that were not learnt from")
        source.shuffle(training)
        return training, testing


def task_of(settings: dict, labels: list) -> str:
    if settings["model"]["task"] is not None:
        return settings["model"]["task"]
    are_numbers = all(to_number(label) is not None for label in labels)
    return "regression" if are_numbers and len({to_number(label) for label in labels}) > 2 else "classification"


def label_value(is_regression: bool, name: str, row: dict):
    if not is_regression:
        return to_class(row[name])
    number = to_number(row[name])
    if number is None:
        raise BadData(f"'{name}' must be a number, not {row[name]!r}")
    return number


def ordered_classes(labels: list, positive) -> list:
    """All classes, by name; of two, the positive one comes last."""
    classes = sorted({to_text(label): label for label in labels}.values(), key=to_text)
    if positive is not None and to_class(positive) not in classes:
        raise BadData(f"no row has the positive class {to_text(positive)}")
    if len(classes) != 2:
        return classes
    if positive is not None:
        wanted = to_class(positive)
    else:
        usual = [one for one in classes if to_text(one).lower() in ("true", "yes", "y", "1")]
        wanted = usual[0] if usual else min(reversed(classes), key=labels.count)
    return [one for one in classes if one != wanted] + [wanted]


def choose_model(settings: dict, is_regression: bool, class_count: int) -> str:
    fitting = FITTING["regression" if is_regression else "two" if class_count == 2 else "several"]
    wanted = settings["model"]["type"]
    if wanted is not None and wanted not in fitting:
        what = "a number" if is_regression else f"{class_count} classes"
        raise BadData(f"{wanted} cannot predict {what}; use {' or '.join(fitting)}")
    return wanted or fitting[0]
