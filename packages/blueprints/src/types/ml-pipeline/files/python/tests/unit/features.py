import unittest

from PACKAGE.features import MissingFeature, Scale, column_names, numbers_of
from PACKAGE.testing import small_settings

ROW = {"size": 4.5, "count": 2, "wait": 0.5, "fresh": True, "colour": "blue"}


class Features(unittest.TestCase):
    def test_a_row_becomes_numbers(self):
        features = small_settings()["features"]
        self.assertEqual(numbers_of(features, ROW), [4.5, 2.0, 0.5, 1.0, 0.0, 1.0])
        self.assertEqual(column_names(features)[-2:], ["colour = red", "colour = blue"])

    def test_what_is_missing_or_of_another_kind_is_named(self):
        features = small_settings()["features"]
        for name, value in [("size", "big"), ("size", True), ("size", float("nan")), ("fresh", 1), ("colour", "green")]:
            with self.assertRaisesRegex(MissingFeature, name):
                numbers_of(features, {**ROW, name: value})
        with self.assertRaisesRegex(MissingFeature, "'count' is missing"):
            numbers_of(features, {name: value for name, value in ROW.items() if name != "count"})

    def test_columns_get_the_same_scale(self):
        scale = Scale.fit([[1.0, 5.0], [3.0, 5.0]], is_standard=True)
        self.assertEqual([scale.apply(row) for row in ([1.0, 5.0], [3.0, 5.0])], [[-1.0, 0.0], [1.0, 0.0]])
        self.assertEqual(Scale.fit([[1.0], [3.0]], is_standard=False).apply([3.0]), [3.0])
