import unittest

from testing.examples import example_of, is_example_known
from testing.running import OWN_MODEL, TOKEN, ServiceTest


def owner_of(resource):
    name = resource.get("parent", {}).get("resource")
    return next((other for other in OWN_MODEL["resources"] if other["name"] == name), None)


def is_testable(resource):
    owner = owner_of(resource)
    if resource.get("is_single"):
        return False
    return "only" not in resource and is_example_known(resource) and (owner is None or is_testable(owner))


class ResourcesTest(ServiceTest):
    """Every resource of this service, as a client meets it."""

    def collection_of(self, resource):
        """Makes the records that a record of this kind belongs to; answers where its own collection is."""
        path, owner = resource["path"], owner_of(resource)
        if owner is None:
            return path.replace("{", "").replace("}", "")
        above = self.collection_of(owner)
        record = self.call("POST", above, example_of(owner), token=TOKEN).json
        return f"{above}/{record['id']}{path[path.rfind('}') + 1:]}"

    def test_a_record_is_created_found_changed_and_deleted(self):
        for resource in filter(is_testable, OWN_MODEL["resources"]):
            with self.subTest(resource["title"]):
                statuses, body = resource["statuses"], example_of(resource)
                # The examples of one resource may have been made for another already.
                self.service = self.fresh()
                collection = self.collection_of(resource)
                created = self.check("POST", collection, statuses["create"], body=body)
                place = created.headers["Location"]
                self.check("GET", place, 200)
                self.check("GET", collection, 200)
                self.check("PATCH", place, statuses["change"], body={})
                self.check("PUT", place, statuses["change"], body=body)
                self.check("DELETE", place, statuses["remove"])
                self.check("GET", place, 404)

    def test_whatever_is_required_is_asked_for(self):
        for resource in filter(is_testable, OWN_MODEL["resources"]):
            self.service = self.fresh()
            collection = self.collection_of(resource)
            for name, field in resource["fields"].items():
                if not field.get("required") or "default" in field:
                    continue
                body = {other: value for other, value in example_of(resource).items() if other != name}
                answer = self.check("POST", collection, resource["statuses"]["invalid"], body=body)
                self.assertEqual(answer.json["error"]["fields"][name], "is required")

    def fresh(self):
        self.doCleanups()
        self.setUp()
        return self.service

    def test_everything_that_is_served_is_described(self):
        document = self.check("GET", OWN_MODEL["system"]["openapi"][0], 200).json
        for resource in OWN_MODEL["resources"]:
            self.assertIn(resource["path"], document["paths"])


if __name__ == "__main__":
    unittest.main()
