import json
import tempfile
import unittest
from pathlib import Path

from PACKAGE.data import generate_rows, split_rows
from PACKAGE.evaluation import evaluate
from PACKAGE.learning import Trained, train
from PACKAGE.models.descent import weighted_sums
from PACKAGE.models.linear_regression import solve
from PACKAGE.models.logistic_regression import logistic
from PACKAGE.testing import numeric_label, small_settings, three_classes, with_model


def learn(settings: dict) -> tuple[Trained, dict]:
    training, testing = split_rows(settings, generate_rows(settings))
    trained = train(settings, training)
    return trained, evaluate(trained, training, testing)


class Models(unittest.TestCase):
    def test_a_logistic_regression_finds_the_signs_of_the_true_weights(self):
        trained, report = learn(small_settings())
        size, count, wait, fresh, red, blue = trained.model.weights
        self.assertTrue(size > 0 and count > 0 and fresh > 0 and red > 0 > blue)
        self.assertLess(abs(wait), size)
        self.assertGreater(report["metrics"]["accuracy"], 0.85)
        self.assertGreater(report["beats_baseline_by"], 0.1)

    def test_a_linear_regression_finds_the_true_numbers(self):
        for method in ("least_squares", "gradient_descent"):
            _, report = learn(with_model(numeric_label(), "linear_regression", method=method, l2=0.0))
            self.assertGreater(report["metrics"]["r2"], 0.97)

    def test_trees_and_naive_bayes_tell_several_classes_apart(self):
        for kind in ("decision_tree", "naive_bayes"):
            trained, report = learn(with_model(three_classes(), kind))
            self.assertGreater(report["beats_baseline_by"], 0.1, kind)
            row = {"size": 25.0, "count": 1, "wait": 1.0, "fresh": False, "colour": "red"}
            self.assertEqual(trained.predict(row)["kind"], "a", kind)

    def test_a_model_survives_being_written_and_read(self):
        cases = [
            with_model(small_settings()["label"], "logistic_regression"),
            with_model(small_settings()["label"], "decision_tree"),
            with_model(small_settings()["label"], "naive_bayes"),
            with_model(numeric_label(), "linear_regression", method="least_squares"),
        ]
        for settings in cases:
            trained, _ = learn(settings)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "model.json"
                trained.save(path)
                self.assertEqual(json.loads(path.read_text())["type"], settings["model"]["type"])
                read = Trained.load(settings, path)
            for row in generate_rows({**settings, "rows": 20}):
                self.assertEqual(read.predict(row), trained.predict(row))

    def test_a_class_that_never_occurs_breaks_nothing(self):
        settings = with_model({**three_classes(), "values": ["a", "b", "c", "d"]}, "naive_bayes")
        trained, _ = learn(settings)
        self.assertAlmostEqual(sum(trained.probabilities(generate_rows(settings)[0])), 1.0)

    def test_the_parts_of_the_arithmetic(self):
        self.assertEqual(logistic(0), 0.5)
        self.assertEqual(round(logistic(-1e9), 6), 0.0)
        self.assertEqual(weighted_sums(1.0, [2.0], [[1.0, 3.0]], 2), [3.0, 7.0])
        self.assertEqual(solve([[0.0, 2.0, 4.0], [1.0, 1.0, 3.0]]), [1.0, 2.0])
