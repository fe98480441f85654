import os
import tempfile
import unittest

from service.store import Store

RESOURCES = [{"name": "note"}]


class StoreTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "note.jsonl")

    def open(self, resources=RESOURCES):
        store = Store(self.folder, resources)
        self.addCleanup(store.close)
        return store, store.collection("note")

    def test_what_was_stored_is_there_after_a_restart_and_what_was_removed_is_not(self):
        store, notes = self.open()
        kept, gone = notes.insert({"text": "kept"}), notes.insert({"text": "gone"})
        notes.replace({**kept, "text": "changed"})
        notes.remove(gone["id"])
        store.close()
        _, notes = self.open()
        self.assertEqual(notes.all(), [{"id": kept["id"], "text": "changed"}])
        self.assertEqual(notes.insert({})["id"], gone["id"] + 1)

    def test_a_line_that_a_crash_left_half_written_is_cut_off(self):
        store, notes = self.open()
        notes.insert({"text": "whole"})
        store.close()
        with open(self.path, "ab") as file:
            file.write(b'{"put":{"id":2,"te')
        store, notes = self.open()
        self.assertEqual(len(notes.all()), 1)
        notes.insert({"text": "after the crash"})
        store.close()
        self.assertEqual(len(self.open()[1].all()), 2)

    def test_a_journal_of_many_changes_is_short_again_after_a_restart(self):
        store, notes = self.open()
        note = notes.insert({"text": "0"})
        for count in range(20):
            notes.replace({**note, "text": str(count)})
        store.close()
        self.open()
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 2)

    def test_an_example_that_was_deleted_does_not_come_back(self):
        examples = [{"name": "note", "seed": [{"id": 5, "text": "example"}]}]
        store, notes = self.open(examples)
        notes.remove(notes.get("5")["id"])
        store.close()
        self.assertEqual(self.open(examples)[1].all(), [])

    def test_nobody_else_can_read_the_file(self):
        self.open()
        self.assertEqual(os.stat(self.path).st_mode & 0o077, 0)


if __name__ == "__main__":
    unittest.main()
