"""Expressions of the model: what rules and conditions calculate from a record."""

import math
import re
import sys
from datetime import date, datetime, timedelta, timezone

DAY_SECONDS = 86_400
HOUR_SECONDS = 3_600


def now_text():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def evaluate(expression, record, related, now=None):
    """The value of an expression for a record. What is empty makes what is calculated from it unknown (None).

    `==` and `!=` compare it. `related` finds what a reference of the record leads to.
    """
    at = now or now_text()
    if "value" in expression:
        return expression["value"]
    if "clock" in expression:
        return at if expression["clock"] == "now" else at[:10]
    if "field" in expression:
        source = related(expression["via"], record) if "via" in expression else record
        return None if source is None else source.get(expression["field"])
    if expression["op"] == "if":
        condition, then, otherwise = expression["given"]
        chosen = then if evaluate(condition, record, related, at) is True else otherwise
        return evaluate(chosen, record, related, at)
    if "given" in expression:
        return _called(expression["op"], [evaluate(part, record, related, at) for part in expression["given"]])
    right = evaluate(expression["right"], record, related, at)
    if expression["op"] == "not":
        return not right if isinstance(right, bool) else None
    left = evaluate(expression["left"], record, related, at)
    if expression["op"] in ("and", "or"):
        return _joined(expression["op"], left, right)
    return _calculated(expression["op"], left, right)


def is_broken(expression, record, related, now=None):
    """Whether the expression is false: what is unknown breaks no rule."""
    return evaluate(expression, record, related, now) is False


def is_true(expression, record, related, now=None):
    """Whether the expression is true: what is unknown is no reason."""
    return expression is None or evaluate(expression, record, related, now) is True


def _joined(operator, left, right):
    decisive = operator == "or"
    if left is decisive or right is decisive:
        return decisive
    return not decisive if isinstance(left, bool) and isinstance(right, bool) else None


def _calculated(operator, left, right):
    a, b = comparable(left, right)
    if operator in ("==", "!="):
        is_same = a == b and isinstance(a, bool) == isinstance(b, bool)
        return is_same if operator == "==" else not is_same
    if a is None or b is None:
        return None
    if operator in ("+", "-", "*", "/", "%", "power"):
        return _arithmetic(operator, left, right)
    try:
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]
    except TypeError:
        return None


def comparable(left, right):
    """Days and moments are compared as points in time, however they are written."""
    times = time_of(left), time_of(right)
    return (left, right) if None in times else times


MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?"
)


def time_of(value):
    """A moment without a zone is in UTC; None if the value is neither a day nor a moment."""
    if not isinstance(value, str) or not value.isascii() or not MOMENT.fullmatch(value):
        return None
    try:
        # Python reads six digits of a second at most.
        moment = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", value))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()


def _called(operator, given):
    """What a function gives; unknown where something is empty or has no answer."""
    if None in given:
        return None
    try:
        result = FUNCTIONS[operator](*given)
    except (ArithmeticError, ValueError):
        return None
    return None if isinstance(result, (float, complex)) and not _is_finite(result) else result


def _is_finite(value):
    return not isinstance(value, complex) and math.isfinite(value)


def _round(value, decimals=0):
    factor = 10**decimals
    return math.copysign(math.floor(abs(value) * factor * (1 + sys.float_info.epsilon) + 0.5), value) / factor + 0


def _day(text):
    return date.fromisoformat(str(text)[:10])


def _add_days(day, days):
    return (_day(day) + timedelta(days=math.floor(days + 0.5))).isoformat()


FUNCTIONS = {
    "power": lambda base, exponent: base**exponent,
    "abs": abs,
    "ceil": math.ceil,
    "floor": math.floor,
    "round": _round,
    "smaller": min,
    "larger": max,
    "length": lambda text: len(str(text)),
    "lower": lambda text: str(text).lower(),
    "upper": lambda text: str(text).upper(),
    "trim": lambda text: str(text).strip(),
    "contains": lambda text, part: part in str(text),
    "starts_with": lambda text, part: str(text).startswith(part),
    "ends_with": lambda text, part: str(text).endswith(part),
    "days_between": lambda start, end: (_day(end) - _day(start)).days,
    "add_days": _add_days,
    "year": lambda day: _day(day).year,
    "month": lambda day: _day(day).month,
    # From 1 for Monday to 7 for Sunday.
    "weekday": lambda day: _day(day).isoweekday(),
}


def _arithmetic(operator, left, right):
    """Two days are as many days apart, two moments as many hours; a day and a number are a day."""
    end, start = time_of(left), time_of(right)
    if operator == "-" and start is not None and end is not None:
        return (end - start) / (DAY_SECONDS if len(left) == 10 and len(right) == 10 else HOUR_SECONDS)
    if end is not None and _is_number(right):
        return _called("add_days", [left, -right if operator == "-" else right])
    if operator == "+" and (isinstance(left, str) or isinstance(right, str)):
        return f"{left}{right}"
    if not _is_number(left) or not _is_number(right):
        return None
    if operator == "power":
        return _called("power", [left, right])
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if right == 0:
        return None
    # What a division leaves has the sign of the divisor.
    return left % right if operator == "%" else left / right


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)
