import tempfile
import unittest

from service.store import Store

TEXT = {"type": "string"}
ONE = [{"name": "ticket", "fields": {"name": TEXT, "colour": TEXT, "size": TEXT}}]
TWO = [
    {
        "name": "issue",
        "was": "ticket",
        "fields": {
            "title": {**TEXT, "was": "name"},
            "size": {"type": "integer"},
            "urgent": {"type": "boolean", "default": False},
        },
    }
]


class VersionsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def add(self, resources, **fields):
        return self.work(resources, lambda records: records.insert(fields))

    def change(self, resources, **fields):
        return self.work(resources, lambda records: records.replace({**records.get(1), **fields}))

    def read(self, resources, number=1):
        found = self.work(resources, lambda records: records.get(number))
        return {name: value for name, value in found.items() if name != "id"}

    def work(self, resources, what):
        store = Store(self.folder, resources)
        try:
            with store.change():
                return what(store.collection(resources[0]["name"]))
        finally:
            store.close()

    def test_a_new_version_finds_what_was_renamed_added_and_removed(self):
        self.add(ONE, name="Blank page", colour="red", size="12")
        self.assertEqual(self.read(TWO), {"title": "Blank page", "size": 12, "urgent": False})

    def test_the_version_before_finds_what_the_new_one_wrote_with_what_it_alone_knows(self):
        self.add(ONE, name="Blank page", colour="red", size="1")
        self.change(TWO, title="Empty page", urgent=True)
        self.assertEqual(self.read(ONE), {"name": "Empty page", "colour": "red", "size": "1"})
        self.add(TWO, title="New", size=2, urgent=True)
        self.assertEqual(self.read(ONE, 2)["name"], "New")

    def test_what_the_version_before_changes_counts_when_the_new_one_is_back(self):
        self.add(TWO, title="First", size=1, urgent=True)
        self.change(ONE, name="Second", size="3")
        self.assertEqual(self.read(TWO), {"title": "Second", "size": 3, "urgent": True})

    def test_two_versions_that_share_a_folder_see_each_others_changes(self):
        old, new = Store(self.folder, ONE), Store(self.folder, TWO)
        self.addCleanup(old.close)
        self.addCleanup(new.close)
        with old.change():
            old.collection("ticket").insert({"name": "Shared"})
        issues = new.collection("issue")
        self.assertEqual(issues.get(1)["title"], "Shared")
        with new.change():
            issues.replace({**issues.get(1), "title": "Both"})
        self.assertEqual(old.collection("ticket").get(1)["name"], "Both")

    def test_a_name_that_is_given_once_stays(self):
        self.add(ONE, name="Kept")
        self.read(TWO)
        later = {key: value for key, value in TWO[0].items() if key != "was"}
        self.assertEqual(self.read([later])["title"], "Kept")


if __name__ == "__main__":
    unittest.main()
