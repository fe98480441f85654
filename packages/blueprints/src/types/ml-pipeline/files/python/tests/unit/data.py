import tempfile
import unittest
from pathlib import Path

from PACKAGE.data import generate_rows, label_of, read_rows, split_rows, write_rows
from PACKAGE.settings import load_settings
from PACKAGE.testing import small_settings, three_classes


class Data(unittest.TestCase):
    def test_the_same_seed_makes_the_same_rows(self):
        self.assertEqual(generate_rows(small_settings()), generate_rows(small_settings()))
        self.assertNotEqual(generate_rows(small_settings()), generate_rows(small_settings(seed=6)))

    def test_values_keep_their_kind_and_limits(self):
        rows = generate_rows(small_settings())
        self.assertEqual(len(rows), 300)
        for row in rows:
            self.assertGreaterEqual(row["size"], 0)
            self.assertIsInstance(row["count"], int)
            self.assertTrue(1 <= row["count"] <= 9)
            self.assertIn(row["fresh"], (True, False))
            self.assertIn(row["colour"], ("red", "blue"))
            self.assertLessEqual(row["wait"], 20)

    def test_the_label_follows_the_written_rule(self):
        settings = small_settings()
        settings["label"]["noise"] = 0
        row = {"size": 12.0, "count": 1, "wait": 0.0, "fresh": False, "colour": "red"}
        self.assertIs(label_of(settings, row, None), True)
        self.assertIs(label_of(settings, {**row, "colour": "blue"}, None), False)

    def test_a_label_of_several_classes_is_the_highest(self):
        settings = small_settings(label={**three_classes(), "noise": 0})
        row = {"size": 20.0, "count": 1, "wait": 0.0, "fresh": False, "colour": "red"}
        self.assertEqual(label_of(settings, row, None), "a")
        self.assertEqual(label_of(settings, {**row, "size": 1.0, "fresh": True}, None), "c")

    def test_rows_survive_being_written_and_read(self):
        settings = small_settings()
        rows = generate_rows(settings)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "deep" / "rows.csv"
            write_rows(settings, rows, path)
            self.assertEqual(read_rows(settings, path), rows)

    def test_no_row_is_both_learnt_from_and_measured_on(self):
        rows = [{"number": number} for number in range(100)]
        training, testing = split_rows(small_settings(), rows)
        self.assertEqual((len(training), len(testing)), (80, 20))
        self.assertEqual(sorted(row["number"] for row in training + testing), list(range(100)))

    def test_every_column_of_this_pipeline_can_be_made(self):
        settings = {**load_settings(), "rows": 50}
        rows = generate_rows(settings)
        names = {feature["name"] for feature in settings["features"]} | {settings["label"]["name"]}
        self.assertTrue(all(set(row) == names for row in rows))
