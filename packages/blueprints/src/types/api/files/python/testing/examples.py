"""Records that fit the fields and the rules of any resource."""

from datetime import datetime, timedelta, timezone

from service.expressions import is_broken, is_true

FIRST_DAY = datetime(2030, 5, 4, 10, tzinfo=timezone.utc)


def example_of(resource, number=0, ids=None):
    """A record; `number` makes two of them differ where they must, `ids` are those of what its references lead to."""
    later = {name for rule in resource["rules"] if rule["kind"] == "required" for name in rule["fields"]}
    record = {}
    for index, (name, field) in enumerate(resource["fields"].items()):
        if field.get("is_owner") or field.get("is_role"):
            continue
        if field["type"] == "reference":
            record[name] = (ids or {}).get(name)
        elif field.get("required") or field.get("unique") or name in later or "default" not in field:
            # What cannot be told from the field is in the model; records with different numbers have different values.
            known = resource.get("examples", {}).get(name)
            value = _value_of(field, number, index) if known is None else known[number % len(known)] if known else None
            record[name] = value
    return record


def unknown_of(resource):
    """Why no example of a resource is known, if none is."""
    for name, known in resource.get("examples", {}).items():
        if resource["fields"][name].get("required") and not known:
            return f"no value of {name} is known that fits"
    record = example_of(resource)
    for rule in resource["rules"]:
        if rule["kind"] != "check" or not is_true(rule.get("when"), record, _nothing):
            continue
        if is_broken(rule["check"], record, _nothing):
            return f"no record is known that keeps to the rule: {rule['message']}"
    return None


def _nothing(_field, _record):
    return None


def _value_of(field, number, index):
    kind = field["type"]
    if kind == "enum":
        return field.get("default", field["values"][0])
    if kind in ("integer", "number"):
        wanted = field.get("min", 1)
        return min(wanted, field.get("max", wanted))
    if kind == "list":
        return [_value_of(field["of"], 0, 0) for _ in range(field.get("min_length", 1))] if "of" in field else []
    # Later fields are later: what ends comes after what begins. Of two records, the second is on another day.
    step = timedelta(days=index) if kind == "date" else timedelta(hours=index)
    moment = (FIRST_DAY + timedelta(days=100 * number) + step).isoformat().replace("+00:00", "Z")
    by_type = {
        "boolean": True,
        "date": moment[:10],
        "datetime": moment,
        "time": f"{8 + index % 12:02}:00",
        "email": f"someone{number}@example.org",
        "url": f"https://example.org/{number}",
        "object": {},
        "any": number,
    }
    text = "x" * max(1, field.get("min_length", 1))
    return by_type.get(kind, text[: field.get("max_length", len(text))])
