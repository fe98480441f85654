"""What can be done with a resource, as routes: create, list, read, replace, change, delete."""

import re
from datetime import datetime, timezone
from urllib.parse import quote

from service.errors import HttpError, not_found
from service.passwords import hash_password
from service.query import select
from service.router import Route
from service.validate import validate


def resource_routes(context, resource):
    operations = Operations(context, resource)
    path, item = resource["path"], f"{resource['path']}/{{id}}"
    if resource.get("is_single"):
        return [
            Route("GET", path, operations.read_single),
            Route("PUT", path, lambda call: operations.save_single(call, is_partial=False), takes_body=True),
            Route("PATCH", path, lambda call: operations.save_single(call, is_partial=True), takes_body=True),
        ]
    routes = [
        Route("GET", path, operations.list),
        Route("POST", path, operations.create, takes_body=True),
        Route("GET", item, operations.read),
        Route("PUT", item, operations.replace, takes_body=True),
        Route("PATCH", item, operations.change, takes_body=True),
        Route("DELETE", item, operations.remove),
        *(
            Route(action["method"], f"{item}/{name}", operations.action(name, action["status"]), takes_body=True)
            for name, action in resource.get("actions", {}).items()
        ),
    ]
    only = resource.get("only")
    return routes if only is None else [route for route in routes if route.method in only]


class Operations:
    def __init__(self, context, resource):
        self._model = context["model"]
        self._store = context["store"]
        self._resource = resource
        self._records = self._store.collection(resource["name"])

    def list(self, call):
        owned_by = self._parent_of(call["parameters"])
        own = [record for record in self._records.all() if _belongs(record, owned_by)]
        page = select(self._resource, own, call["query"], self._model["bad_query_status"])
        items = [shown(self._resource, record) for record in page.pop("items")]
        return {"body": {self._resource["list_key"]: items, **page}}

    def create(self, call):
        values = self._accept(_without(call["body"], self._parent_of(call["parameters"])))
        sealed = self._sealed(values)
        with self._store.change():
            owned_by = self._parent_of(call["parameters"])
            self._refuse_taken(values)
            at = _now()
            record = self._records.insert({**owned_by, **sealed, "created_at": at, "updated_at": at})
        place = f"{_filled(self._resource['path'], call['parameters'])}/{record['id']}"
        status = self._resource["statuses"]["create"]
        return {"status": status, "body": shown(self._resource, record), "headers": {"Location": place}}

    def read(self, call):
        return {"body": shown(self._resource, self._find(call["parameters"]))}

    def replace(self, call):
        return self._save(call, is_partial=False)

    def change(self, call):
        return self._save(call, is_partial=True)

    def remove(self, call):
        with self._store.change():
            record = self._find(call["parameters"])
            self._records.remove(record["id"])
            self._remove_children(self._resource, record)
        return {"status": self._resource["statuses"]["remove"], "body": shown(self._resource, record)}

    def action(self, name, status):
        """Something done to a record that is more than a change of its fields: it is kept when it was done."""

        def act(call):
            with self._store.change():
                known, at = self._find(call["parameters"]), _now()
                done = {**known.get("actions", {}), name: at}
                record = self._records.replace({**known, "actions": done, "updated_at": at})
            return {"status": status, "body": shown(self._resource, record)}

        return act

    def read_single(self, _call):
        """What there is one of is always there."""
        return {"body": shown(self._resource, self._records.get("1") or {"id": 1})}

    def save_single(self, call, is_partial):
        values = self._sealed(self._accept(call["body"], is_partial))
        with self._store.change():
            kept = (self._records.get("1") if is_partial else None) or {"id": 1}
            record = self._records.replace({**kept, **values, "updated_at": _now()})
        return {"status": self._resource["statuses"]["change"], "body": shown(self._resource, record)}

    def _save(self, call, is_partial):
        self._find(call["parameters"])
        owned_by = self._parent_of(call["parameters"])
        values = self._accept(_without(call["body"], owned_by), is_partial)
        sealed = self._sealed(values)
        with self._store.change():
            known = self._find(call["parameters"])
            self._refuse_taken(values, known)
            kept = known if is_partial else {"id": known["id"], **owned_by, "created_at": known.get("created_at")}
            record = self._records.replace({**kept, **sealed, "updated_at": _now()})
        return {"status": self._resource["statuses"]["change"], "body": shown(self._resource, record)}

    def _remove_children(self, resource, record):
        """What belongs to a record goes with it."""
        for child in self._model["resources"]:
            parent = child.get("parent", {})
            if parent.get("resource") != resource["name"]:
                continue
            children = self._store.collection(child["name"])
            for orphan in children.all():
                if _belongs(orphan, {parent["field"]: record["id"]}):
                    children.remove(orphan["id"])
                    self._remove_children(child, orphan)

    def _find(self, parameters):
        record_id, bad_id = parameters["id"], self._resource["statuses"].get("bad_id")
        if bad_id is not None and not re.fullmatch(r"[0-9]+", record_id):
            raise HttpError(bad_id, "bad_id", f"'{record_id}' is no id: an id is a whole number.")
        owned_by = self._parent_of(parameters)
        record = self._records.get(record_id)
        if record is None or not _belongs(record, owned_by):
            raise not_found(f"The {self._resource['title']} {record_id} was not found.")
        return record

    def _parent_of(self, parameters, resource=None):
        """The id of the record that this one belongs to, by its field. It must exist, and so must its own parent."""
        parent = (resource or self._resource).get("parent")
        if parent is None:
            return {}
        value = parameters[parent["field"]]
        owner = next((other for other in self._model["resources"] if other["name"] == parent.get("resource")), None)
        if owner is None:
            return {parent["field"]: value}
        record = self._store.collection(owner["name"]).get(value)
        if record is None or not _belongs(record, self._parent_of(parameters, owner)):
            raise not_found(f"The {owner['title']} {value} was not found.")
        return {parent["field"]: record["id"]}

    def _accept(self, body, is_partial=False):
        """The values that may be stored; what is wrong with the others is said, all of it at once."""
        values, problems = validate(self._resource, body, is_partial)
        if problems:
            message = "; ".join(f"{name} {problem}" for name, problem in problems.items())
            raise HttpError(self._resource["statuses"]["invalid"], "invalid", f"{message}.", fields=problems)
        return values

    def _refuse_taken(self, values, known=None):
        """Must be called in the change that stores the values: whoever came in between counts."""
        for name, field in self._resource["fields"].items():
            if not field.get("unique") or values.get(name) is None:
                continue
            others = [record for record in self._records.all() if known is None or record["id"] != known["id"]]
            if any(other.get(name) == values[name] for other in others):
                message = f"There is a {self._resource['title']} with this {name} already."
                raise HttpError(409, "conflict", message)

    def _sealed(self, values):
        """Passwords are kept as hashes only."""
        fields = self._resource["fields"]
        return {
            name: hash_password(value) if value is not None and _is_secret(fields, name) else value
            for name, value in values.items()
        }


def shown(resource, record):
    """A record as callers see it."""
    return {name: value for name, value in record.items() if not _is_secret(resource["fields"], name)}


def _is_secret(fields, name):
    return fields.get(name, {}).get("type") == "password"


def _belongs(record, owned_by):
    return all(str(record.get(name)) == str(value) for name, value in owned_by.items())


def _without(body, owned_by):
    """To whom a record belongs stands in its path; a body may repeat it."""
    return {name: value for name, value in body.items() if name not in owned_by}


def _filled(path, parameters):
    return re.sub(r"\{(\w+)\}", lambda match: quote(parameters[match[1]], safe=""), path)


def _now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
