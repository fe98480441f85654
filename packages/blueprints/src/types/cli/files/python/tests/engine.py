import tempfile
import unittest
from pathlib import Path

from app.arguments import parse_arguments, split_command
from app.csv_input import read_csv
from app.errors import Failure, UsageError
from app.output import render, sheet_with
from app.records import as_filter, as_filters, fields_named, in_order, matching, number_of, sum_of, text_of
from app.resources import Resources
from app.store import Store
from app.values import fill, format_value, parse_value
from support.run_program import Result

TEXT = {"name": "text", "type": "string"}
COUNT = {"name": "count", "type": "integer", "short": "c"}
LOUD = {"name": "loud", "type": "boolean"}


def parse(words, expected=(TEXT,), options=(COUNT, LOUD)):
    return parse_arguments(words, list(expected), list(options))[0]


class ArgumentsTest(unittest.TestCase):
    def test_arguments_stand_in_order_and_options_anywhere(self):
        self.assertEqual(parse(["--count", "3", "hi", "--loud"]), {"count": 3, "text": "hi", "loud": True})
        self.assertEqual(parse(["hi", "--count=3", "--loud=no"]), {"count": 3, "text": "hi", "loud": False})
        self.assertEqual(parse(["hi", "-c", "3"]), {"count": 3, "text": "hi"})
        self.assertEqual(parse(["hi", "-c3"]), {"count": 3, "text": "hi"})
        self.assertEqual(parse(["hi", "-lc3"], options=[COUNT, {**LOUD, "short": "l"}]), {"count": 3, "text": "hi", "loud": True})
        self.assertEqual(parse(["--", "--loud"]), {"text": "--loud"})
        self.assertEqual(parse(["-5"], [COUNT], []), {"count": -5})
        self.assertEqual(parse(["a", "b"], [{**TEXT, "multiple": True}]), {"text": ["a", "b"]})
        self.assertEqual(parse([], [{**TEXT, "optional": True}]), {})
        self.assertEqual(parse(["-", "a"], [{**COUNT, "stdin": "lines"}, TEXT], []), {"text": "a"})
        self.assertEqual(parse([], [{**COUNT, "stdin": "lines"}], []), {})
        self.assertEqual(parse(["a"], [{**COUNT, "stdin": "lines"}, TEXT], []), {"text": "a"})

    def test_what_is_missing_unknown_or_too_much_is_told(self):
        for words in ([], ["a", "b"], ["a", "--quick"], ["a", "--count"], ["a", "-cx"], ["a", "-xc"]):
            with self.assertRaises(UsageError):
                parse(words)
        with self.assertRaises(UsageError):
            parse(["a"], options=[{**COUNT, "required": True}])

    def test_defaults_are_filled_in(self):
        day = {"name": "day", "type": "date", "default": "today"}
        time = {"name": "time", "type": "datetime", "default": "now"}
        values = parse(["a"], options=[day, time, {**COUNT, "default": 7}])
        self.assertRegex(values["day"], r"^\d{4}-\d\d-\d\d$")
        self.assertIn("T", values["time"])
        self.assertEqual(values["count"], 7)

    def test_options_of_the_program_may_stand_before_the_command(self):
        file = [{"name": "file", "type": "path"}]
        self.assertEqual(split_command(["--file", "go", "go", "x"], file, "go".__eq__), ("go", ["--file", "go", "x"]))
        self.assertEqual(split_command(["-f", "go", "go"], [{**file[0], "short": "f"}], "go".__eq__)[1], ["-f", "go"])
        self.assertIsNone(split_command(["stay"], file, "go".__eq__)[0])
        self.assertIsNone(split_command(["--", "go"], file, "go".__eq__)[0])


class ValuesTest(unittest.TestCase):
    def test_values_are_read_by_their_type(self):
        self.assertEqual(parse_value({"type": "decimal", "decimals": 2}, "12.50"), 12.5)
        self.assertEqual(parse_value({"type": "number"}, "1e3"), 1000)
        self.assertEqual(parse_value({"type": "decimal", "decimals": 1}, "1.25e1"), 12.5)
        self.assertEqual(parse_value({"type": "date"}, "2028-02-29"), "2028-02-29")
        self.assertEqual(parse_value({"type": "datetime"}, "2030-01-31T09:00Z"), "2030-01-31T09:00:00.000Z")
        self.assertIs(parse_value({"type": "boolean"}, "Yes"), True)
        self.assertEqual(parse_value({"type": "string"}, " as typed "), " as typed ")

    def test_what_breaks_a_rule_is_refused(self):
        for rules, text in (
            ({"type": "integer"}, "4.2"),
            ({"type": "decimal"}, "twelve"),
            ({"type": "decimal", "decimals": 2}, "1.234"),
            ({"type": "decimal", "decimals": 2}, "1e-3"),
            ({"type": "number"}, "1e999"),
            ({"type": "number", "min": 1}, "0"),
            ({"type": "number", "max": 1}, "2"),
            ({"type": "date"}, "2030-02-29"),
            ({"type": "datetime"}, "soon"),
            ({"type": "boolean"}, "perhaps"),
            ({"type": "string", "required": True}, " "),
            ({"type": "string", "min_length": 2}, "a"),
            ({"type": "string", "max_length": 2}, "abc"),
            ({"type": "enum", "values": ["a"]}, "b"),
        ):
            with self.assertRaises(UsageError, msg=str(rules)):
                parse_value({"name": "it", **rules}, text)

    def test_values_are_shown_as_people_write_them(self):
        shown = [format_value({"decimals": 2}, 8), format_value(None, 3.0), format_value(None, ["a", "b"])]
        self.assertEqual(shown, ["8.00", "3", "a, b"])
        self.assertEqual([format_value(None, None), format_value(None, True), format_value(None, False)], ["", "true", "false"])
        self.assertEqual(fill("{n} of {what}, {unknown}", {"n": 2, "what": "it"}), "2 of it, {unknown}")


class OutputTest(unittest.TestCase):
    def test_a_result_is_shown_in_the_format_that_is_asked_for(self):
        data = [{"name": 'a, "b"', "n": 1.5}, {"name": "c", "n": 10}]
        self.assertEqual(render("text", data, "two"), "two")
        self.assertIn('"n": 1.5', render("json", data, ""))
        self.assertEqual(render("csv", data, ""), 'name,n\n"a, ""b""",1.5\nc,10')
        self.assertEqual(render("table", data, ""), 'name      n\na, "b"  1.5\nc        10')
        sheet = sheet_with(["n", "gone"], data, [{"name": "n", "decimals": 2}])
        self.assertEqual(sheet.rows, [["1.50", ""], ["10.00", ""]])


class RecordsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_records_are_kept_found_changed_and_removed(self):
        store = Store(self.folder / "deep" / "data.json")
        self.assertEqual(store.all(), [])
        self.assertEqual([store.add({"note": "a"})["id"], store.add({"note": "b"})["id"]], [1, 2])
        self.assertEqual(store.change(1, {"note": "c"})["note"], "c")
        self.assertEqual(store.remove(2)["note"], "b")
        self.assertEqual(store.add({})["id"], 3)
        for act in (store.find, store.remove, lambda number: store.change(number, {})):
            with self.assertRaisesRegex(Failure, "number 2"):
                act(2)

    def test_a_file_that_is_no_data_file_is_left_as_it_is(self):
        file = self.folder / "data.json"
        for content in ("{", '{"records": 1}'):
            file.write_text(content, encoding="utf-8")
            with self.assertRaises(Failure):
                Store(file).add({})
            self.assertEqual(file.read_text(encoding="utf-8"), content)
        for place in (self.folder, file / "below"):
            with self.assertRaises(Failure):
                Store(place).add({})

    def test_csv_becomes_records_or_the_wrong_line_is_told(self):
        known = [{"name": "n", "type": "integer", "required": True}, TEXT]
        self.assertEqual(read_csv('n,text\n4,\n5,"a, b"\n', known), [{"id": 1, "n": 4}, {"id": 2, "n": 5, "text": "a, b"}])
        self.assertEqual(read_csv("", known), [])
        for text in ("n,colour\n1,red\n", "n\nmany\n", "text\nx\n"):
            with self.assertRaises(Failure):
                read_csv(text, known)

    def test_input_comes_from_a_file_or_from_standard_input(self):
        file = self.folder / "input.csv"
        file.write_text("id\n", encoding="utf-8")
        streams = Result(["--version"], given="id\n")
        for source in ("-", str(file)):
            self.assertEqual(Resources({"input": source}, set(), streams, {}).read_records(), [])
        with self.assertRaises(Failure):
            Resources({"input": str(file) + ".gone"}, set(), streams, {}).read_records()

    def test_what_comes_as_input_is_found_by_its_number_and_never_changed(self):
        resources = Resources({"input": "-"}, set(), Result(["--version"], given="id\n7\n"), {})
        with self.assertRaises(Failure):
            resources.find_record(9)
        with self.assertRaises(UsageError):
            resources.store.add({})

    def test_records_are_sorted_filtered_and_added_up(self):
        records = [{"id": 1, "day": "b", "n": 0.1}, {"id": 2, "day": "a", "n": 0.2}, {"id": 3}]
        self.assertEqual([each["id"] for each in in_order(records, "day")], [3, 2, 1])
        self.assertEqual([each["id"] for each in in_order(records, "-day")], [1, 2, 3])
        known = {"day": {"values": ["b", "a"]}}
        self.assertEqual([each["id"] for each in in_order(records, "day", known)], [3, 1, 2])
        self.assertEqual([each["id"] for each in matching(records, {"day": "a"})], [2])
        self.assertEqual(sum_of(records, "n"), [{"key": "total", "sum": 0.3}])
        self.assertEqual([each["key"] for each in sum_of(records, "n", "day")], ["", "a", "b"])
        self.assertEqual(as_filter({"name": "a", "required": True, "default": 1}), {"name": "a"})
        self.assertEqual(as_filters([{"name": "no field", "default": 1}]), [{"name": "no field", "default": 1}])
        self.assertEqual([number_of(1), number_of(None) < 1, number_of(None) > 1], [1, False, False])
        self.assertEqual([text_of("a"), text_of(None)], ["a", ""])
        self.assertEqual(fields_named("id")[0]["name"], "id")


if __name__ == "__main__":
    unittest.main()
