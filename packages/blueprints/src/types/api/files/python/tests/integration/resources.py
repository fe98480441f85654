import re
import unittest

from service.access import covers
from service.operations import operations_of
from service.references import references_of
from service.store import opened
from service.validate import validate
from testing.examples import example_of, unknown_of
from testing.running import OWN_MODEL, TOKEN, ServiceTest


def named(name):
    return next(resource for resource in OWN_MODEL["resources"] if resource["name"] == name)


def needed_by(resource, more=None):
    """What a record must lead to, and what `more` leads to: field and resource."""
    above = resource.get("parent", {}).get("field")
    return [
        (field, to)
        for field, to, _ in references_of(resource)
        if field in (above, more) or resource["fields"][field].get("required")
    ]


def reason_against(resource, seen=()):
    """Why a resource cannot be tried out, if it cannot: nor can what leads to it."""
    if resource.get("is_single") or "methods" in resource or resource["name"] in seen:
        return "not every method is served, or it needs itself"
    found = (reason_against(named(to), (*seen, resource["name"])) for _, to in needed_by(resource))
    return unknown_of(resource) or next(filter(None, found), None)


def is_unshared(field):
    return field.get("unique") and not field.get("is_owner") and not field.get("is_role")


def value_in_seed(resource, name):
    """A value that a record has from the start, if one has."""
    return next((record[name] for record in resource["seed"] if record.get(name) is not None), None)


def unshared_of(resource, name):
    """Why no two records can be tried with the same value, if they cannot."""
    to = resource["fields"][name].get("to")
    if value_in_seed(resource, name) is not None:
        return None
    if to is not None:
        return reason_against(named(to), (resource["name"],))
    # A resource that was added by hand need not have any: then the field alone says what fits.
    known = resource.get("examples", {}).get(name)
    return f"no value of {name} is known that fits" if known == [] else None


TESTABLE = [resource for resource in OWN_MODEL["resources"] if reason_against(resource) is None]


class ResourcesTest(ServiceTest):
    """Every resource of this service, as a client meets it."""

    def surroundings(self, resource, number=0, more=None):
        """Makes one of each that a record must lead to, and of what `more` leads to; answers their ids and its place."""
        ids, place = {}, resource["path"]
        for index, (field, to) in enumerate(needed_by(resource, more)):
            # Two references may lead to records of one kind, which must differ.
            collection, _, created = self.make(named(to), number + index)
            ids[field] = created.json["id"]
            if field == resource.get("parent", {}).get("field"):
                place = f"{collection}/{ids[field]}{place[place.rfind('}') + 1 :]}"
        return ids, place

    def make(self, resource, number=0, more=None):
        ids, place = self.surroundings(resource, number, more)
        return place, ids, self.check("POST", place, 201, example_of(resource, number, ids))

    def test_a_record_is_added_found_changed_and_deleted(self):
        for resource in TESTABLE:
            with self.subTest(resource["title"]):
                self.fresh()
                collection, ids, created = self.make(resource)
                place = created.headers["Location"]
                self.check("GET", place, 200)
                listed = self.check("GET", f"{collection}?limit=1000", 200).json[resource["list_key"]]
                self.assertIn(created.json["id"], [record["id"] for record in listed])
                self.check("PATCH", place, 200, {})
                self.check("PUT", place, 200, example_of(resource, ids=ids))
                self.check("DELETE", place, 204)
                self.check("GET", place, 404)

    def test_whatever_is_required_is_asked_for(self):
        for resource in TESTABLE:
            self.fresh()
            ids, place = self.surroundings(resource)
            for name, field in resource["fields"].items():
                if not field.get("required") or "default" in field:
                    continue
                body = {other: value for other, value in example_of(resource, ids=ids).items() if other != name}
                answer = self.check("POST", place, 422, body)
                self.assertEqual(answer.json["error"]["fields"][name], "is required")

    def test_what_must_be_unique_is(self):
        for resource in TESTABLE:
            for name in [name for name, field in resource["fields"].items() if is_unshared(field)]:
                with self.subTest(f"{resource['title']}: {name}"):
                    reason = unshared_of(resource, name)
                    if reason is not None:
                        self.skipTest(reason)
                    self.fresh()
                    taken = value_in_seed(resource, name)
                    if taken is None:
                        place, ids, first = self.make(resource, 0, name)
                        taken = first.json[name]
                    else:
                        ids, place = self.surroundings(resource)
                    self.check("POST", place, 409, {**example_of(resource, 1, ids), name: taken})

    def test_a_reference_must_lead_to_something(self):
        for resource in TESTABLE:
            for field, _, _ in references_of(resource):
                if resource["fields"].get(field, {}).get("is_owner"):
                    continue
                with self.subTest(f"{resource['title']}: {field}"):
                    self.fresh()
                    ids, place = self.surroundings(resource)
                    is_above = field == resource.get("parent", {}).get("field")
                    lost = re.sub(r"/\d+(/[^/]*)$", r"/999999\1", place) if is_above else place
                    body = example_of(resource, ids={**ids, field: 999999})
                    self.check("POST", lost, 404 if is_above else 422, body)

    def test_the_records_that_are_there_from_the_start_fit(self):
        for resource in OWN_MODEL["resources"]:
            above = resource.get("parent", {}).get("field")
            for record in resource["seed"]:
                values = {name: value for name, value in opened(record).items() if name != above}
                self.assertEqual(validate(resource, values)[1], {})

    def test_everything_that_is_served_is_described(self):
        document = self.check("GET", OWN_MODEL["system"]["openapi"], 200).json
        for operation in operations_of(OWN_MODEL):
            self.assertIn(operation["method"].lower(), document["paths"][operation["path"]])
        for path in ("/", OWN_MODEL["system"]["docs"]):
            self.assertIn("<h1>", self.check("GET", path, 200).text)

    def test_what_is_closed_is_refused_without_a_token_and_answered_with_one(self):
        accounts = OWN_MODEL["auth"].get("accounts", {})
        always_open = [*OWN_MODEL["system"]["health"], accounts.get("login"), accounts.get("sign_up")]
        for operation in operations_of(OWN_MODEL):
            method, path = operation["method"], operation["path"]
            is_named = any(covers(entry["rule"], method, path) for entry in OWN_MODEL["protects"])
            if path in always_open or ("anyone" in operation["who"] and not is_named):
                continue
            with self.subTest(f"{method} {path}"):
                place = re.sub(r"\{\w+\}", "999999", path)
                body = None if method == "GET" else {}
                self.check(method, place, 401, body, token=None)
                status = self.call(method, place, body, token=TOKEN).status
                # The service's own token is no account.
                is_of_an_account = path in (accounts.get("me"), accounts.get("logout"))
                self.assertEqual(status in (401, 403), is_of_an_account)


if __name__ == "__main__":
    unittest.main()
