import unittest

from PACKAGE.metrics import (
    accuracy,
    classification_metrics,
    log_loss,
    missed_promises,
    precision_recall_f1,
    regression_metrics,
    roc_auc,
)
from PACKAGE.model_card import model_card
from PACKAGE.testing import small_settings


class Metrics(unittest.TestCase):
    def test_shares_of_right_answers(self):
        truths, predictions = [True, True, False, False], [True, False, True, False]
        self.assertEqual(accuracy(truths, predictions), 0.5)
        self.assertEqual(precision_recall_f1(truths, predictions, True), (0.5, 0.5, 0.5))
        self.assertEqual(precision_recall_f1([False], [False], True), (0.0, 0.0, 0.0))

    def test_the_area_under_the_curve(self):
        self.assertEqual(roc_auc([False, False, True, True], [0.1, 0.2, 0.8, 0.9]), 1.0)
        self.assertEqual(roc_auc([True, False], [0.1, 0.9]), 0.0)
        self.assertEqual(roc_auc([True, False, True, False], [0.5, 0.5, 0.5, 0.5]), 0.5)
        self.assertEqual(roc_auc([True, True], [0.1, 0.9]), 0.5)

    def test_several_classes_are_averaged(self):
        found = classification_metrics(
            ["a", "b", "c"], ["a", "b", "b"], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.5, 0.4]], ["a", "b", "c"]
        )
        self.assertAlmostEqual(found["accuracy"], 2 / 3)
        self.assertAlmostEqual(found["recall"], 2 / 3)
        self.assertEqual(found["roc_auc"], 1.0)
        self.assertAlmostEqual(log_loss([1.0]), 0.0)

    def test_errors_of_numbers(self):
        found = regression_metrics([1.0, 2.0, 3.0], [1.0, 2.0, 5.0])
        self.assertEqual((found["r2"], found["mse"]), (-1.0, 4 / 3))
        self.assertEqual(regression_metrics([2.0], [2.0])["r2"], 0.0)

    def test_promises_that_are_not_kept_are_told(self):
        settings = small_settings()
        good = {
            "rows": {"train": 8, "test": 2},
            "metrics": {"accuracy": 0.9, "log_loss": 0.2},
            "baseline": {"answer": True},
            "beats_baseline_by": 0.3,
        }
        self.assertEqual(missed_promises(settings, good), [])
        bad = {**good, "metrics": {"accuracy": 0.5, "log_loss": 2.0}, "beats_baseline_by": 0.0}
        missed = missed_promises(settings, bad)
        self.assertEqual(len(missed), 3)
        self.assertIn("accuracy is 0.5000 and must be at least 0.8", missed)
        card = model_card(settings, bad, missed)
        self.assertIn("not kept", card)
        self.assertIn("| log_loss | 2.0000 | at most 0.6 |", card)
        self.assertNotIn("not kept", model_card(settings, good, []))
