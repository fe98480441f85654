"""What can be done with the records of a resource, by whom, and under which rules."""

import time

from service.access import is_owner_of, may_by_role, may_see, refuse_unless
from service.action_fields import action_fields, refuse_bypass
from service.errors import HttpError, not_found, with_article
from service.expressions import is_true, now_text
from service.passwords import hash_password
from service.query import select
from service.references import related_in, release, with_references
from service.rules import refuse_broken
from service.validate import default_of, validate

# What stays of a record that is replaced: what the service set.
KEPT = ("id", "created_at", "tokens_from")


class Records:
    def __init__(self, context, resource):
        self._model, self._store = context["model"], context["store"]
        self.resource = resource
        self.all = self._store.collection(resource["name"])
        self._context = {**context, "resource": resource, "records": self.all}

    def list(self, call):
        """A page of the records that the actor may see."""
        resource, actor = self.resource, call["actor"]
        refuse_unless(resource["access"]["read"], actor, resource, f"read each {resource['title']}")
        above = self._above(call)
        own = [record for record in self.all.all() if _is_under(above, record) and may_see(resource, actor, record)]
        return select(resource, own, call["query"])

    def find(self, call):
        """The record of a path, if the actor may see it."""
        resource, actor = self.resource, call["actor"]
        refuse_unless(resource["access"]["read"], actor, resource, f"read {with_article(resource['title'])}")
        return self._find(call, lambda record: may_see(resource, actor, record))

    def create(self, call):
        """A new record of what a caller sent."""
        resource, actor = self.resource, call["actor"]
        sent = _without(call["body"], self._above(call))
        self._refuse_role(resource["access"]["create"], actor, sent, {})
        accepted = self.sealed(self.accept(sent))
        with self._store.change():
            at = now_text()
            values = with_references(self._context, {**self._first_role(), **accepted, **self._owner(actor)})
            record = {**self._above(call), **values, "created_at": at, "updated_at": at}
            refuse_bypass(self._context, actor, sent, record)
            refuse_broken(self._context, record)
            return self.all.insert(record)

    def change(self, call, is_partial):
        """A record with what a caller sent: as a part of it, or in its place."""
        before, above = self._find_for_change(call), self._above(call)
        sent = _without(call["body"], above)
        self._refuse_role(self.resource["access"]["change"], call["actor"], sent, before)
        left = [] if is_partial else [name for name in action_fields(self.resource) if name not in sent]
        accepted = self.sealed(self.accept({**_chosen(before, left), **sent}, is_partial))
        with self._store.change():
            known = self._find_for_change(call)
            values = {**with_references(self._context, accepted), **_chosen(known, left)}
            kept = known if is_partial else {**self._kept(known), **above}
            record = {**kept, **values, **self._new_password(values), "updated_at": now_text()}
            refuse_bypass(self._context, call["actor"], sent, record, known)
            refuse_broken(self._context, record, known)
            return self.all.replace(record)

    def remove(self, call):
        resource, who = self.resource, self.resource["access"]["delete"]
        with self._store.change():
            record = self._find_seen(call, who)
            refuse_unless(who, call["actor"], resource, f"delete this {resource['title']}", record)
            self.all.remove(record["id"])
            release(self._context, resource, record)

    def act(self, call, name):
        """Something done to a record by name: it sets fields, where its condition is true."""
        resource, action = self.resource, self.resource["actions"][name]
        with self._store.change():
            known = self._find_seen(call, action["access"])
            refuse_unless(action["access"], call["actor"], resource, f"{name} this {resource['title']}", known)
            if not is_true(action.get("when"), known, related_in(self._context)):
                message = f"The {resource['title']} {known['id']} cannot {name} as it is now."
                raise HttpError(409, "conflict", message)
            record = {**known, **_values_of(action["sets"], call["actor"]), "updated_at": now_text()}
            refuse_broken(self._context, record, known)
            return self.all.replace(record)

    def save_single(self, call, is_partial):
        """What there is one of is always there, and is never deleted."""
        resource = self.resource
        refuse_unless(resource["access"]["change"], call["actor"], resource, f"change the {resource['title']}")
        values = self.sealed(self.accept(call["body"], is_partial))
        with self._store.change():
            current = self.single()
            record = {**(current if is_partial else {"id": 1}), **values, "updated_at": now_text()}
            refuse_broken(self._context, record, current)
            return self.all.replace(record)

    def single(self):
        defaults = {name: default_of(field) for name, field in self.resource["fields"].items()}
        return self.all.get("1") or {"id": 1, **{name: value for name, value in defaults.items() if value is not None}}

    def accept(self, body, is_partial=False):
        """The values that may be stored; what is wrong with the others is said, all of it at once."""
        values, problems = validate(self.resource, body, is_partial)
        if problems:
            message = "; ".join(f"{name} {problem}" for name, problem in problems.items())
            raise HttpError(422, "invalid", f"{message}.", fields=problems)
        return values

    def sealed(self, values):
        """Passwords are kept as hashes only."""
        fields = self.resource["fields"]
        return {
            name: hash_password(value) if value is not None and fields[name]["type"] == "password" else value
            for name, value in values.items()
        }

    def _find(self, call, fits):
        record_id, above = call["parameters"]["id"], self._above(call)
        record = self.all.get(record_id)
        if record is None or not _is_under(above, record) or not fits(record):
            raise not_found(f"The {self.resource['title']} {record_id} was not found.")
        return record

    def _find_seen(self, call, who):
        """Whoever may not even see a record is told that it is not there; without a token they are asked for one."""
        resource, actor = self.resource, call["actor"]
        if "anyone" in who:
            return self._find(call, lambda record: True)
        if actor is None:
            refuse_unless(who, actor, resource, "do this")
        return self._find(
            call,
            lambda record: may_see(resource, actor, record)
            or may_by_role(who, actor)
            or is_owner_of(resource, actor, record),
        )

    def _find_for_change(self, call):
        who, resource = self.resource["access"]["change"], self.resource
        record = self._find_seen(call, who)
        refuse_unless(who, call["actor"], resource, f"change this {resource['title']}", record)
        return record

    def _above(self, call, resource=None):
        """What this record is below, by its field. It must be there for the actor, and so must what that is below."""
        parent = (resource or self.resource).get("parent")
        if parent is None:
            return {}
        value = call["parameters"][parent["field"]]
        owner = next(other for other in self._model["resources"] if other["name"] == parent["resource"])
        record = self._store.collection(owner["name"]).get(value)
        above = self._above(call, owner)
        if record is None or not _is_under(above, record) or not may_see(owner, call["actor"], record):
            raise not_found(f"The {owner['title']} {value} was not found.")
        return {parent["field"]: record["id"]}

    def _owner(self, actor):
        owner = self.resource.get("owner")
        if owner is None or not self.resource["fields"].get(owner, {}).get("is_owner"):
            return {}
        return {owner: ((actor or {}).get("account") or {}).get("id")}

    def _refuse_role(self, who, actor, sent, known):
        """Nobody gives a role to themselves: only those whose own role lets them do this to any account."""
        for name, field in self.resource["fields"].items():
            if not field.get("is_role") or name not in sent or sent[name] == known.get(name):
                continue
            if may_by_role([word for word in who if word != "signed_in"], actor):
                continue
            problem = "may not be chosen by you: leave it out"
            raise HttpError(403, "forbidden", f"You may not choose {name}: leave it out.", fields={name: problem})

    def _first_role(self):
        """The role of an account that was given none."""
        accounts = self._accounts()
        return {accounts["role_field"]: accounts["default_role"]} if "default_role" in accounts else {}

    def _new_password(self, values):
        """A new password ends the tokens that the old one gave."""
        secret = self._accounts().get("password_field")
        return {"tokens_from": time.time() + 0.001} if secret is not None and secret in values else {}

    def _accounts(self):
        accounts = self._model["auth"].get("accounts") or {}
        return accounts if accounts.get("resource") == self.resource["name"] else {}

    def _kept(self, known):
        own = [name for name, field in self.resource["fields"].items() if field.get("is_owner") or field.get("is_role")]
        return _chosen(known, (*KEPT, *own))


def shown(resource, record):
    """A record as callers see it."""
    fields = resource["fields"]
    return {
        name: value
        for name, value in record.items()
        if name != "tokens_from" and fields.get(name, {}).get("type") != "password"
    }


def _values_of(sets, actor):
    now = now_text()
    words = {"now": now, "today": now[:10], "me": ((actor or {}).get("account") or {}).get("id")}
    return {field: words.get(value, value) if isinstance(value, str) else value for field, value in sets.items()}


def _chosen(record, names):
    return {name: record[name] for name in names if name in record}


def _is_under(above, record):
    return all(str(record.get(name)) == str(value) for name, value in above.items())


def _without(body, above):
    """What a record is below stands in its path; a body may repeat it."""
    return {name: value for name, value in body.items() if name not in above}
