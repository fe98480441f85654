"""Expressions of the model: what rules and conditions calculate from a record."""

import re
from datetime import datetime, timezone

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
    if operator in ("+", "-", "*", "/"):
        return _arithmetic(operator, left, right)
    try:
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]
    except TypeError:
        return None


def comparable(left, right):
    """Days and moments are compared as points in time, however they are written."""
    times = time_of(left), time_of(right)
    return (left, right) if None in times else times


def time_of(value):
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d\d-\d\d(?:T.*)?", value):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()


def _arithmetic(operator, left, right):
    """Two days are as many days apart, two moments as many hours."""
    end, start = time_of(left), time_of(right)
    if operator == "-" and start is not None and end is not None:
        return (end - start) / (DAY_SECONDS if len(left) == 10 and len(right) == 10 else HOUR_SECONDS)
    if not _is_number(left) or not _is_number(right):
        return None
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    return None if right == 0 else left / right


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)
