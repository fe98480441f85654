"""How versions of the service read each other's records.

Records outlive the version that wrote them, and two versions may share them. So nothing is rewritten: each record is
stored with the names of the fields that its writer knew, and each version reads it through its own model. A field that
was renamed is stored under its old name as well, for the version before; one that is gone stays in the record, unseen,
for the way back.
"""

ALWAYS = ("id", "created_at", "updated_at", "tokens_from")


class Version:
    def __init__(self, resource):
        parent = resource.get("parent")
        self._fields = dict(resource["fields"])
        if parent is not None:
            self._fields[parent["field"]] = {"type": "reference"}
        self._moved = [(name, field["was"]) for name, field in self._fields.items() if "was" in field]

    @property
    def names(self):
        """The names that a record written by this version has."""
        return list(self._fields)

    def read(self, stored, names):
        """A stored record as this version sees it; `names` are those that its writer knew, if it noted them."""
        record = {name: value for name, value in stored.items() if name in ALWAYS or name in self._fields}
        for name, was in self._moved:
            is_old = name not in (stored if names is None else names)
            if is_old and was in stored:
                record[name] = stored[was]
        for name, field in self._fields.items():
            if record.get(name) is not None:
                record[name] = _converted(field, record[name])
            else:
                record.setdefault(name, _default(field))
        return record

    def write(self, record, before=None):
        """A record as it is stored: with what other versions have put into it, and under the old names too."""
        old = {was: record[name] for name, was in self._moved if name in record and was not in self._fields}
        return {**(before or {}), **record, **old}


def _default(field):
    """A field that the writer did not know. Moments of creation cannot be made up afterwards."""
    is_clock = field["type"] in ("date", "datetime") and field.get("default") in ("now", "today")
    return None if is_clock else field.get("default")


def _converted(field, value):
    """A value of a field whose type has changed, where nothing is lost by it; else as it is."""
    kind = field["type"]
    if kind in ("integer", "number") and isinstance(value, str):
        try:
            return int(value) if kind == "integer" else float(value)
        except ValueError:
            return value
    if kind in ("string", "text") and isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if kind in ("string", "text") and isinstance(value, (int, float)) else value
