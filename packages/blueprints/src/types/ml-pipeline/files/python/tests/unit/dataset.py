import unittest

from PACKAGE.dataset import Dataset
from PACKAGE.table import BadData
from PACKAGE.testing import small_rows, small_settings


def rows_with(labels: list) -> list[dict]:
    return [{"n": number, "good": label} for number, label in enumerate(labels)]


class Datasets(unittest.TestCase):
    def test_no_row_is_both_learnt_from_and_measured_on_and_each_class_has_its_share(self):
        dataset = Dataset(small_settings(), rows_with(["no"] * 80 + ["yes"] * 20))
        training, testing = dataset.split()
        self.assertEqual((len(training), len(testing)), (75, 25))
        self.assertEqual(sum(row["good"] == "yes" for row in testing), 5)
        self.assertEqual(sorted(row["n"] for row in training + testing), list(range(100)))

    def test_the_same_seed_divides_the_same_way_and_another_one_does_not(self):
        split = lambda seed: Dataset(small_settings(changes={"split": {"test": 0.25, "seed": seed}}), small_rows()).split()
        self.assertEqual(split(1), split(1))
        self.assertNotEqual(split(1)[1], split(2)[1])

    def test_the_positive_class_is_yes_or_the_one_that_is_named_or_the_rare_one(self):
        self.assertEqual(Dataset(small_settings(), rows_with(["yes", "no", "yes"])).classes, ["no", "yes"])
        self.assertEqual(Dataset(small_settings(), rows_with(["1", "0", "0"])).classes, [0, 1])
        self.assertEqual(Dataset(small_settings(), rows_with(["stays", "goes", "stays"])).classes, ["stays", "goes"])
        named = small_settings(changes={"positive": "stays"})
        self.assertEqual(Dataset(named, rows_with(["stays", "goes", "stays"])).classes, ["goes", "stays"])

    def test_numbers_are_predicted_as_numbers_unless_they_are_told_to_be_classes(self):
        labels = [1, 2, 3, 1, 2, 3]
        self.assertEqual(Dataset(small_settings(), rows_with(labels)).model_type, "linear_regression")
        dataset = Dataset(small_settings(task="classification"), rows_with(labels))
        self.assertEqual((dataset.classes, dataset.model_type), ([1, 2, 3], "naive_bayes"))

    def test_rows_without_a_label_are_counted_and_left_out(self):
        dataset = Dataset(small_settings(), rows_with(["yes", None, "no", "no"]))
        self.assertEqual((dataset.given, dataset.unlabelled, len(dataset.rows)), (4, 1, 3))

    def test_data_that_cannot_be_learnt_from_is_refused_with_a_reason(self):
        cases = [
            (small_settings("other"), rows_with(["a", "b"]), "no column is called 'other'"),
            (small_settings(), rows_with(["a", "a"]), "same value in every row"),
            (small_settings(), [{"good": "a"}, {"good": "b"}], "no column to learn from"),
            (small_settings(type="linear_regression"), rows_with(["a", "b"]), "cannot predict 2 classes"),
            (small_settings(type="logistic_regression"), rows_with(["a", "b", "c"]), "naive_bayes or decision_tree"),
            (small_settings(task="regression"), rows_with(["a", "b"]), "must be a number, not 'a'"),
            (small_settings(changes={"positive": "z"}), rows_with(["a", "b"]), "positive class z"),
        ]
        for settings, rows, reason in cases:
            with self.assertRaisesRegex(BadData, reason):
                Dataset(settings, rows)
        with self.assertRaisesRegex(BadData, "too few rows"):
            Dataset(small_settings(), rows_with(["a", "b"])).split()
