import unittest

from service.expressions import evaluate, is_broken, is_true

ROOM = {"seats": 8}
RECORD = {
    "guests": 9,
    "day": "2030-05-04",
    "from": "2030-05-04T10:00:00Z",
    "to": "2030-05-04T12:30:00+02:00",
    "note": None,
}


def field(name, via=None):
    return {"field": name} if via is None else {"field": name, "via": via}


def value(one):
    return {"value": one}


def op(sign, left, right):
    return {"op": sign, "left": left, "right": right}


def related(_field, _record):
    return ROOM


def of(expression):
    return evaluate(expression, RECORD, related, "2030-05-01T00:00:00Z")


UNKNOWN = op(">", field("note"), value(1))


class ExpressionsTest(unittest.TestCase):
    def test_values_are_compared_days_and_moments_as_points_in_time(self):
        self.assertIs(of(op("<=", field("guests"), field("seats", "room_id"))), False)
        self.assertIs(of(op(">", field("to"), field("from"))), True)
        self.assertIs(of(op("==", field("day"), value("2030-05-04"))), True)
        self.assertIs(of(op(">=", field("day"), {"clock": "today"})), True)
        self.assertIs(of(op("<", {"clock": "now"}, field("from"))), True)
        self.assertIsNone(of(op("<", field("guests"), value("a"))))

    def test_numbers_are_calculated_days_are_days_apart_and_moments_hours(self):
        self.assertEqual(of(op("+", op("*", field("guests"), value(2)), value(1))), 19)
        self.assertIsNone(of(op("/", value(1), value(0))))
        self.assertEqual(of(op("-", field("day"), value("2030-05-01"))), 3)
        self.assertEqual(of(op("-", field("to"), field("from"))), 0.5)
        self.assertIsNone(of(op("-", field("note"), value(1))))
        self.assertIsNone(of(op("*", value("a"), value(1))))
        self.assertEqual(of(op("+", value("a"), value(1))), "a1")

    def test_what_is_empty_breaks_no_rule_and_is_no_reason_but_can_be_asked_for(self):
        self.assertFalse(is_broken(UNKNOWN, RECORD, related))
        self.assertFalse(is_true(UNKNOWN, RECORD, related))
        self.assertIs(of(op("==", field("note"), value(None))), True)
        self.assertIsNone(of({"op": "not", "right": UNKNOWN}))

    def test_conditions_are_joined_also_where_one_of_them_is_unknown(self):
        self.assertIs(of(op("or", value(True), UNKNOWN)), True)
        self.assertIs(of(op("and", value(False), UNKNOWN)), False)
        self.assertIsNone(of(op("and", value(True), UNKNOWN)))
        self.assertIs(of(op("and", value(True), {"op": "not", "right": value(False)})), True)

    def test_functions_give_what_they_say_and_nothing_for_what_is_empty_or_has_no_answer(self):
        def call(name, *given):
            return of({"op": name, "given": [value(one) for one in given]})

        self.assertEqual([call("round", 2.345, 2), call("smaller", 3, 2), call("upper", "a")], [2.35, 2, "A"])
        self.assertEqual([call("add_days", "2030-02-28", 1), call("weekday", "2030-03-03")], ["2030-03-01", 7])
        self.assertEqual(call("if", True, "a", None), "a")
        self.assertIsNone(call("length", None))
        self.assertIsNone(call("add_days", "2030-02-28", 1e12))
        self.assertIsNone(of(op("power", value(-8), value(0.5))))
        self.assertIsNone(of(op("power", value(10), value(400.5))))
        self.assertEqual(of(op("%", value(-7), value(3))), 2)
        self.assertEqual(of(op("-", value("2030-03-01"), value(1))), "2030-02-28")


if __name__ == "__main__":
    unittest.main()
