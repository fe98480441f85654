"""The rules that every record of a resource keeps to."""

import json

from service.errors import HttpError, with_article
from service.expressions import comparable, is_broken, is_true
from service.references import references_of, related_in


def refuse_broken(context, record, known=None):
    """Refuses a record that breaks a rule, in the change that stores it: whoever came in between counts."""
    _refuse_taken(context, record, known)
    related = related_in(context)
    for rule in context["resource"]["rules"]:
        if not is_true(rule.get("when"), record, related):
            continue
        field = BREAKS[rule["kind"]](rule, {**context, "related": related, "record": record, "known": known})
        if field is not None:
            raise _refusal(rule, context["resource"], field)
    if known is not None:
        _refuse_broken_elsewhere(context, record, known)


def _refuse_broken_elsewhere(context, record, known):
    """Refuses a change after which a record that leads to this one breaks a rule that it kept to before."""
    for other in context["model"]["resources"]:
        fields = [field for field, to, _ in references_of(other) if to == context["resource"]["name"]]
        rules = [rule for rule in other["rules"] if any(_leads_by(rule.get(key), fields) for key in ("check", "when"))]
        if not rules:
            continue
        setting = {**context, "resource": other, "records": context["store"].collection(other["name"])}
        for holder in setting["records"].all():
            if not any(_is_same(holder.get(name), record["id"]) for name in fields):
                continue
            for rule in rules:
                if _breaks_by(rule, setting, holder, fields, record) and not _breaks_by(rule, setting, holder, fields, known):
                    message = f"The {other['title']} {holder['id']} would break a rule: {rule['message'].removesuffix('.')}."
                    raise HttpError(409, "conflict", message)


def _breaks_by(rule, setting, holder, fields, here):
    """Whether a record breaks a rule if what it leads to is as here."""
    stored = related_in(setting)

    def related(field, record):
        found = stored(field, record)
        return here if field in fields and found is not None and found["id"] == here["id"] else found

    whole = {**setting, "related": related, "record": holder, "known": holder}
    return is_true(rule.get("when"), holder, related) and BREAKS[rule["kind"]](rule, whole) is not None


def _leads_by(expression, fields):
    """Whether an expression looks at what one of these references leads to."""
    if not isinstance(expression, (dict, list)):
        return False
    if isinstance(expression, dict) and expression.get("via") in fields:
        return True
    parts = expression.values() if isinstance(expression, dict) else expression
    return any(_leads_by(part, fields) for part in parts)


def _refuse_taken(context, record, known):
    resource = context["resource"]
    for name, field in resource["fields"].items():
        value = record.get(name)
        if not field.get("unique") or value is None:
            continue
        if any(is_same_in(field, other.get(name), value) for other in _others({**context, "known": known})):
            message = f"There is {with_article(resource['title'])} with this {name} already: choose another."
            raise HttpError(409, "conflict", message, fields={name: "is taken: choose another"})


def _check(rule, context):
    is_bad = is_broken(rule["check"], context["record"], context["related"])
    return (rule["fields"] or ["id"])[0] if is_bad else None


def _required(rule, context):
    return next((name for name in rule["fields"] if _is_empty(context["record"].get(name))), None)


def _unique(rule, context):
    if any(_is_empty(context["record"].get(name)) for name in rule["fields"]):
        return None
    return rule["fields"][0] if _counted(context, rule["fields"], rule.get("when")) else None


def _no_overlap(rule, context):
    start, end = rule["fields"]
    record = context["record"]
    if _is_empty(record.get(start)) or _is_empty(record.get(end)):
        return None
    for other in _counted(context, rule.get("within", []), rule.get("when")):
        if _is_empty(other.get(start)) or _is_empty(other.get(end)):
            continue
        # One may begin where another ends; a span without length takes up its moment, or its day.
        if _is_same(record[start], other[start]):
            return start
        if _is_before(record[start], other[end]) and _is_before(other[start], record[end]):
            return start
    return None


def _max_records(rule, context):
    within = rule.get("within", [])
    return (within or ["id"])[0] if len(_counted(context, within, rule.get("when"))) >= rule["max"] else None


def _moves(rule, context):
    field, known = rule["fields"][0], context["known"]
    if known is None or _is_same(known.get(field), context["record"].get(field)):
        return None
    allowed = rule["moves"].get(str(known.get(field)))
    return None if allowed is None or str(context["record"].get(field)) in allowed else field


# For each kind of rule, the field that breaks it; None if none does.
BREAKS = {
    "check": _check,
    "required": _required,
    "unique": _unique,
    "no_overlap": _no_overlap,
    "max_records": _max_records,
    "moves": _moves,
}


def _others(context):
    known = context.get("known")
    return [record for record in context["records"].all() if known is None or record["id"] != known["id"]]


def _counted(context, within, when):
    """The other records that a rule counts: those with the same values, for which its condition is true as well."""
    record, fields = context["record"], context["resource"]["fields"]
    return [
        other
        for other in _others(context)
        if all(is_same_in(fields.get(name), other.get(name), record.get(name)) for name in within)
        and is_true(when, other, context["related"])
    ]


def _refusal(rule, resource, field):
    code = "conflict" if rule["status"] == 409 else "invalid"
    said = rule["message"]
    message = said if said.endswith((".", "!", "?")) else f"{resource['title']}: {field} {said}."
    return HttpError(rule["status"], code, message, fields={field: rule["message"]})


def _is_empty(value):
    return value is None or value == ""


def is_same_in(field, a, b):
    """Nobody has two addresses that differ in capitals only."""
    if field is not None and field["type"] == "email" and isinstance(a, str) and isinstance(b, str):
        return a.lower() == b.lower()
    return _is_same(a, b)


def _is_same(a, b):
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True) or str(a) == str(b)


def _is_before(a, b):
    x, y = comparable(a, b)
    return x < y
