import os
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

from service.store import Store

FIELDS = {"text": {"type": "text"}, "index": {"type": "integer"}}
RESOURCES = [{"name": "note", "fields": FIELDS}]


class StoreTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = os.path.join(self.folder, "records.db")

    def open(self, resources=RESOURCES):
        store = Store(self.folder, resources)
        self.addCleanup(store.close)
        return store, store.collection("note")

    def test_what_was_stored_is_there_after_a_restart_and_what_was_removed_is_not(self):
        store, notes = self.open()
        with store.change():
            kept, gone = notes.insert({"text": "kept"}), notes.insert({"text": "gone"})
        with store.change():
            notes.replace({**kept, "text": "changed"})
            notes.remove(gone["id"])
        store.close()
        store, notes = self.open()
        self.assertEqual(notes.all(), [{"id": kept["id"], "text": "changed", "index": None}])
        with store.change():
            self.assertEqual(notes.insert({})["id"], gone["id"] + 1)

    def test_two_that_share_a_folder_see_each_other_and_never_give_an_id_twice(self):
        both = [self.open(), self.open()]

        def add(index):
            store, notes = both[index % 2]
            with store.change():
                return notes.insert({"index": index})["id"]

        with ThreadPoolExecutor(8) as pool:
            ids = list(pool.map(add, range(50)))
        self.assertEqual(len(set(ids)), 50)
        (first, one), (_, two) = both
        self.assertEqual(one.all(), two.all())
        with first.change():
            one.remove(7)
        self.assertIsNone(two.get("7"))

    def test_a_change_that_fails_is_none_on_disk_and_in_memory(self):
        store, notes = self.open()
        with store.change():
            note = notes.insert({"text": "before"})
        with self.assertRaises(ValueError), store.change():
            notes.replace({**note, "text": "after"})
            notes.insert({"text": "more"})
            raise ValueError
        self.assertEqual(notes.all(), [note])
        self.assertEqual(self.open()[1].all(), [note])
        with self.assertRaises(RuntimeError):
            notes.remove(note["id"])

    def test_an_example_that_was_deleted_does_not_come_back(self):
        examples = [{"name": "note", "fields": FIELDS, "seed": [{"id": 5, "text": "example"}]}]
        store, notes = self.open(examples)
        with store.change():
            notes.remove(notes.get("5")["id"])
        store.close()
        self.assertEqual(self.open(examples)[1].all(), [])

    def test_what_an_earlier_version_kept_in_a_journal_is_taken_over_once(self):
        lines = ['{"last":9}', '{"put":{"id":1,"text":"old"}}', '{"put":{"id":2}}', '{"remove":2}', '{"put":{"id":3']
        with open(os.path.join(self.folder, "note.jsonl"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        store, notes = self.open()
        self.assertEqual(notes.all(), [{"id": 1, "text": "old", "index": None}])
        with store.change():
            self.assertEqual(notes.insert({})["id"], 10)
        store.close()
        self.assertEqual(len(self.open()[1].all()), 2)

    def test_only_those_who_may_write_into_the_folder_can_read_the_file(self):
        self.open()[0].close()
        self.assertEqual(os.stat(self.file).st_mode & 0o077, 0)
        os.remove(self.file)
        os.chmod(self.folder, 0o770)
        self.open()
        self.assertEqual(os.stat(self.file).st_mode & 0o777, 0o660)


if __name__ == "__main__":
    unittest.main()
