import unittest

from PACKAGE.table import BadData, parse_table, write_csv
from PACKAGE.values import to_boolean, to_class, to_date, to_number, to_text


class Table(unittest.TestCase):
    def test_csv_may_have_quotes_line_breaks_and_other_separators(self):
        text = '\ufeffname,"a, b",note\n x , 1,"two\nlines and ""quotes"""\n\ny,NA,\n'
        rows = parse_table(text, ["NA"], "csv")
        self.assertEqual(rows[0], {"name": "x", "a, b": "1", "note": 'two\nlines and "quotes"'})
        self.assertEqual(rows[1], {"name": "y", "a, b": None, "note": None})
        self.assertEqual(parse_table("a;b\n1,5;2\n", []), [{"a": "1,5", "b": "2"}])
        self.assertEqual(parse_table("a\tb\n1\t2\n", []), [{"a": "1", "b": "2"}])

    def test_json_may_be_a_list_an_object_or_an_object_a_line(self):
        for text in ('[{"a": 1}, {"a": null}]', '{"a": 1}\n\n{"a": null}\n'):
            self.assertEqual(parse_table(text, []), [{"a": 1}, {"a": None}])
        self.assertEqual(parse_table('{"a": " x "}', []), [{"a": "x"}])

    def test_what_cannot_be_read_is_refused_with_its_row(self):
        cases = {
            "a,b\n1,2\n3\n": "row 2 has 1 cells",
            "a,a\n1,2\n": "'a'",
            "a,\n1,2\n": "name of its own",
            "": "no line of column names",
            'a\n"open\n': "cannot be read",
            "[1]": "row 1",
            '{"a": [1]}': "'a' must be a single value",
            '{"a": 1}\n{"a"': "line 2",
        }
        for text, reason in cases.items():
            with self.assertRaisesRegex(BadData, reason):
                parse_table(text, [])

    def test_rows_survive_being_written_and_read(self):
        rows = [{"a": 'x "y", z', "b": True}, {"a": "two\nlines", "b": False}]
        read = parse_table(write_csv(rows), [], "csv")
        self.assertEqual([(row["a"], to_class(row["b"])) for row in read], [(row["a"], row["b"]) for row in rows])

    def test_a_value_is_read_as_what_it_is(self):
        self.assertEqual([to_number(one) for one in ("-1.5e2", 3, "x", True, None, "1e999")], [-150.0, 3.0, None, None, None, None])
        self.assertEqual([to_boolean(one) for one in ("Yes", "no", True, "1", 1)], [1.0, 0.0, 1.0, None, None])
        self.assertEqual([to_text(one) for one in (True, 2, None)], ["true", "2", None])
        self.assertEqual(to_date("2026-03-01") - to_date("2026-02-28"), 1.0)
        self.assertEqual([to_date(one) for one in ("2026-02-30", "soon", 5)], [None, None, None])
        self.assertEqual([to_class(one) for one in ("TRUE", "no", "1", "1.5")], [True, "no", 1, 1.5])
