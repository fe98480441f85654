import unittest

from PACKAGE.columns import column_names, complete_rows, encode, fit_columns, infer_columns
from PACKAGE.scale import Scale
from PACKAGE.table import BadData
from PACKAGE.testing import small_settings


def columns_of(rows: list[dict], **changes):
    return infer_columns(small_settings(changes=changes), rows)


class Columns(unittest.TestCase):
    def test_types_are_inferred_from_all_values(self):
        rows = [{"n": "1.5", "b": "yes", "d": "2026-01-01", "c": "x", "m": "1"}, {"n": None, "b": "no", "d": "2026-02-01", "c": "y", "m": "z"}]
        columns, _ = columns_of(rows)
        self.assertEqual([one["type"] for one in columns], ["number", "boolean", "date", "category", "category"])

    def test_columns_of_no_use_are_left_out_and_named(self):
        rows = [{"id": f"row {number}", "empty": None, "secret": number, "a": number % 3} for number in range(20)]
        columns, left_out = infer_columns({**small_settings(), "ignore": ["secret"]}, rows)
        self.assertEqual([one["name"] for one in columns], ["a"])
        self.assertEqual([reason.split(":")[0] for reason in left_out], ["id", "empty", "secret"])

    def test_a_type_that_is_told_counts_and_is_checked(self):
        columns, _ = columns_of([{"code": "7"}, {"code": "8"}], columns={"code": {"type": "category"}})
        self.assertEqual(columns[0]["type"], "category")
        columns, _ = columns_of([{"code": "7"}, {"code": "x"}], columns={"code": {"type": "number"}})
        with self.assertRaisesRegex(BadData, "'code' must be a number, not 'x'"):
            fit_columns(columns, [{"code": "x"}])

    def test_what_is_missing_is_filled_as_in_training_and_the_model_is_told(self):
        rows = [{"n": 1, "c": "x"}, {"n": 3, "c": "y"}, {"n": 100, "c": "x"}, {"n": None, "c": None}]
        columns = fit_columns(columns_of(rows)[0], rows)
        self.assertEqual(column_names(columns), ["n", "n is missing", "c = x", "c = y", "c is missing"])
        self.assertEqual(encode(columns, {"n": None}), [3.0, 1.0, 0.0, 0.0, 1.0])
        self.assertEqual(encode(columns, {"n": "2", "c": "never seen"}), [2.0, 0.0, 0.0, 0.0, 0.0])

    def test_what_was_never_missing_may_not_be(self):
        rows = [{"n": 1, "b": True}, {"n": 2, "b": False}]
        columns = fit_columns(columns_of(rows)[0], rows)
        with self.assertRaisesRegex(BadData, "'b' is missing"):
            encode(columns, {"n": 1})

    def test_rows_without_a_value_are_dropped_or_refused_as_told(self):
        rows = [{"n": 1, "m": 1}, {"n": None, "m": 2}]
        columns, _ = columns_of(rows, columns={"n": {"missing": "drop"}})
        self.assertEqual(complete_rows(columns, rows), rows[:1])
        columns, _ = columns_of(rows, columns={"n": {"missing": "refuse"}})
        with self.assertRaisesRegex(BadData, "row 2 has no 'n'"):
            complete_rows(columns, rows)

    def test_columns_get_the_same_scale(self):
        scale = Scale.fit([[1.0, 5.0], [3.0, 5.0]], is_standard=True)
        self.assertEqual([scale.apply(row) for row in ([1.0, 5.0], [3.0, 5.0])], [[-1.0, 0.0], [1.0, 0.0]])
        self.assertEqual(Scale.fit([[1.0], [3.0]], is_standard=False).apply([3.0]), [3.0])
