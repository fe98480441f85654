import unittest
from datetime import datetime, timezone

from service.validate import validate


def problem_of(field, value):
    return validate({"fields": {"it": field}}, {"it": value})[1].get("it")


class ValidateTest(unittest.TestCase):
    def test_a_value_of_the_type_is_taken_and_another_is_refused_with_a_reason(self):
        for kind, good, bad in [
            ("string", "a", 1),
            ("text", "a\nb", []),
            ("integer", 3, 3.5),
            ("integer", 2**53 - 1, 2**53),
            ("integer", -3.0, float("nan")),
            ("number", 3.5, "3.5"),
            ("number", 1e308, float("nan")),
            ("number", -1e308, float("-inf")),
            ("number", 10**300, 10**400),
            ("boolean", False, 0),
            ("date", "2030-05-04", "2030-13-40"),
            ("date", "2030-05-04", "May"),
            ("date", "2028-02-29", "2035-02-30"),
            ("datetime", "2030-05-04T10:00:00.5+02:00", "2035-02-30T10:00:00Z"),
            ("datetime", "2030-05-04T10:00", "2030-05-04T24:00:00Z"),
            ("datetime", "2030-05-04T10:00:00+00:00", "2030-05-04"),
            ("datetime", "2030-05-04T10:00:00", "2030-05-04Tx"),
            ("time", "09:30", "9:61"),
            ("reference", 3, {}),
            ("email", "a@example.org", "a at example"),
            ("url", "https://example.org/", "javascript:alert(1)"),
            ("url", "https://example.org/", "http://[x"),
            ("url", "https://example.org/", 1),
            ("list", [1, "a"], "a,b"),
            ("object", {"a": 1}, [1]),
        ]:
            with self.subTest(kind=kind, bad=bad):
                self.assertIsNone(problem_of({"type": kind}, good))
                self.assertRegex(problem_of({"type": kind}, bad), "^must be ")

    def test_a_value_outside_the_limits_is_refused(self):
        self.assertRegex(problem_of({"type": "string", "max_length": 2}, "abc"), "2 characters at most")
        self.assertRegex(problem_of({"type": "string", "min_length": 2}, "a"), "2 characters at least")
        self.assertRegex(problem_of({"type": "string", "pattern": "^a+$"}, "ab"), "must match")
        self.assertRegex(problem_of({"type": "integer", "min": 1}, 0), "1 or more")
        self.assertRegex(problem_of({"type": "integer", "max": 9}, 10), "9 or less")
        self.assertRegex(problem_of({"type": "enum", "values": ["a", "b"]}, "c"), "one of a, b")
        self.assertRegex(problem_of({"type": "list", "max_length": 1}, [1, 2]), "1 entries at most")
        self.assertRegex(problem_of({"type": "list", "of": {"type": "string"}}, ["a", 2]), "entry 2 must be a text")

    def test_what_is_missing_gets_its_default_and_is_refused_where_it_is_required(self):
        fields = {"name": {"type": "string", "required": True}, "state": {"type": "string", "default": "new"}}
        self.assertEqual(validate({"fields": fields}, {"name": "a"})[0], {"name": "a", "state": "new"})
        for body in ({}, {"name": " "}, {"name": None}):
            self.assertEqual(validate({"fields": fields}, body)[1], {"name": "is required"})

    def test_of_a_partial_change_only_what_is_there_is_checked(self):
        fields = {"name": {"type": "string", "required": True}, "note": {"type": "text"}}
        self.assertEqual(validate({"fields": fields}, {"note": ""}, is_partial=True), ({"note": None}, {}))

    def test_a_field_that_is_not_known_is_refused_with_those_that_are(self):
        fields = {"name": {"type": "string"}, "note": {"type": "text"}}
        self.assertEqual(validate({"fields": fields}, {"nmae": "a"})[1], {"nmae": "is not known: there is name, note"})

    def test_a_body_cannot_set_what_the_service_sets(self):
        fields = {"owner": {"type": "reference", "is_owner": True}}
        self.assertEqual(validate({"fields": fields}, {"id": 9, "owner": 3}), ({}, {}))

    def test_days_have_limits_too_and_today_is_one(self):
        self.assertRegex(problem_of({"type": "date", "min": "today"}, "2000-01-01"), "today or later")
        self.assertRegex(problem_of({"type": "datetime", "max": "now"}, "2999-01-01T00:00:00Z"), "now or earlier")
        self.assertIsNone(problem_of({"type": "date", "min": "2030-05-04"}, "2030-05-04"))
        self.assertRegex(problem_of({"type": "time", "max": "18:00"}, "18:30"), "18:00 or earlier")
        values, _ = validate({"fields": {"it": {"type": "date", "default": "today"}}}, {})
        self.assertEqual(values["it"], datetime.now(timezone.utc).date().isoformat())


if __name__ == "__main__":
    unittest.main()
