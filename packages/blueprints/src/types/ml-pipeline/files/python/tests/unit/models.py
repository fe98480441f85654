import unittest

from PACKAGE.columns import column_names
from PACKAGE.learning import Trained, row_weights
from PACKAGE.models.descent import weighted_sums
from PACKAGE.models.linear_regression import solve
from PACKAGE.models.logistic_regression import logistic
from PACKAGE.testing import GOOD_ROW, SMALL, learn, small_rows, small_settings


class Models(unittest.TestCase):
    def test_a_logistic_regression_finds_the_signs_of_the_true_weights(self):
        _, trained, report = learn(small_settings())
        weights = dict(zip(column_names(trained.about["columns"]), trained.model.weights))
        self.assertTrue(weights["size"] > 0 and weights["fresh"] > 0 and weights["colour = red"] > 0)
        self.assertLess(abs(weights["count"]), weights["size"])
        self.assertGreater(report["metrics"]["accuracy"], 0.8)
        self.assertGreater(report["beats_baseline_by"], 0.1)

    def test_a_linear_regression_finds_the_true_numbers(self):
        rows = [row for row in small_rows() if row["size"] is not None]
        for method in ("least_squares", "gradient_descent"):
            training = {**SMALL["model"]["training"], "method": method, "l2": 0.0}
            _, trained, report = learn(small_settings("price", training=training), rows)
            self.assertGreater(report["metrics"]["r2"], 0.97)
            self.assertAlmostEqual(trained.predict(GOOD_ROW)["price"], 44.0, delta=1.5)

    def test_trees_and_naive_bayes_tell_several_classes_apart(self):
        for kind in ("decision_tree", "naive_bayes"):
            _, trained, report = learn(small_settings("kind", type=kind))
            self.assertGreater(report["beats_baseline_by"], 0.1, kind)
            self.assertEqual(trained.predict(GOOD_ROW)["kind"], "a", kind)

    def test_a_model_survives_being_written_and_read(self):
        cases = [("good", "logistic_regression"), ("good", "decision_tree"), ("kind", "naive_bayes"), ("price", "linear_regression")]
        for label, kind in cases:
            _, trained, _ = learn(small_settings(label, type=kind))
            read = Trained.from_json(trained.to_json())
            for row in small_rows(20):
                self.assertEqual(read.predict(row), trained.predict(row))

    def test_balanced_weights_find_more_of_a_rare_class(self):
        rows = [row for row in small_rows(600) if not row["good"] or row["count"] == 3]
        for kind in ("logistic_regression", "naive_bayes", "decision_tree"):
            recall = {}
            for weight in ("none", "balanced"):
                recall[weight] = learn(small_settings(type=kind, class_weight=weight), rows)[2]["metrics"]["recall"]
            self.assertGreaterEqual(recall["balanced"], recall["none"], kind)
        self.assertEqual(row_weights([0, 0, 0, 1], 2, True), [4 / 6, 4 / 6, 4 / 6, 2.0])

    def test_the_parts_of_the_arithmetic(self):
        self.assertEqual(logistic(0), 0.5)
        self.assertEqual(round(logistic(-1e9), 6), 0.0)
        self.assertEqual(weighted_sums(1.0, [2.0], [[1.0, 3.0]], 2), [3.0, 7.0])
        self.assertEqual(solve([[0.0, 2.0, 4.0], [1.0, 1.0, 3.0]]), [1.0, 2.0])
