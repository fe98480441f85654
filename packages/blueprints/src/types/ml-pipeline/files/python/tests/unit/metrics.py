import unittest

from PACKAGE.evaluation import missed
from PACKAGE.metrics import (
    accuracy,
    class_report,
    classification_metrics,
    log_loss,
    precision_recall_f1,
    regression_metrics,
    roc_auc,
)
from PACKAGE.model_card import model_card
from PACKAGE.testing import learn, small_rows, small_settings

NO_LIMITS = {"min": {}, "max": {}}


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

    def test_a_rare_class_does_not_hide_behind_a_frequent_one(self):
        truths, predictions = ["no"] * 9 + ["yes"], ["no"] * 10
        found = classification_metrics(truths, predictions, [[0.9, 0.1]] * 10, ["no", "yes"])
        self.assertEqual((found["accuracy"], found["balanced_accuracy"], found["recall"]), (0.9, 0.5, 0.0))
        of_yes = class_report(truths, predictions, ["no", "yes"])[1]
        self.assertEqual((of_yes["rows"], of_yes["taken_for"][0]), (1, {"class": "no", "rows": 1}))

    def test_errors_of_numbers(self):
        found = regression_metrics([1.0, 2.0, 3.0], [1.0, 2.0, 5.0])
        self.assertEqual((found["r2"], round(found["rmse"] ** 2, 9)), (-1.0, round(4 / 3, 9)))
        self.assertEqual(regression_metrics([2.0], [2.0])["r2"], 0.0)

    def test_a_model_that_learnt_nothing_does_not_beat_the_baseline(self):
        rows = [{"n": number % 2, "good": "yes" if number % 3 else "no"} for number in range(90)]
        settings = small_settings()
        dataset, _, report = learn(settings, rows)
        sentences = missed(settings, report, NO_LIMITS)
        self.assertIn("accuracy is 0.6522, and 0.6522 for always yes", sentences[0])
        self.assertIn("**Not reached:**", model_card(dataset, report, sentences))

    def test_limits_and_margins_that_are_missed_are_told_with_the_numbers(self):
        dataset, _, report = learn(small_settings(beats_baseline_by=0.9))
        sentences = missed(dataset.settings, report, {"min": {"accuracy": 1.1, "f1": 0.1}, "max": {"log_loss": 0}})
        self.assertEqual([sentence.split(" is ")[0].split(":")[0] for sentence in sentences][1:], ["accuracy", "log_loss"])
        self.assertIn("must be better by 0.9", sentences[0])

    def test_the_baseline_may_be_one_question_and_the_metric_another(self):
        _, _, usual = learn(small_settings())
        _, _, question = learn(small_settings(baseline="one_question", metric="log_loss"))
        self.assertGreater(question["baseline"]["accuracy"], usual["baseline"]["accuracy"])
        better = question["baseline"]["log_loss"] - question["metrics"]["log_loss"]
        self.assertAlmostEqual(question["beats_baseline_by"], better)
        with self.assertRaisesRegex(ValueError, "r2 is not measured"):
            learn(small_settings(metric="r2"))

    def test_the_model_card_says_what_the_data_is(self):
        settings = small_settings("price", changes={"data_kind": "synthetic"})
        dataset, _, report = learn(settings, small_rows())
        card = model_card(dataset, report, [])
        self.assertIn("**Synthetic data:**", card.splitlines()[2])
        self.assertIn("| size | number | 20 |", card)
        self.assertNotIn("Not reached", card)
