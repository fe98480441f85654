"""Everything that is kept: on disk in a database, and in memory to read.

Several processes may share a folder, such as two versions of the service while one takes over: each sees what the others
have stored, and their changes wait for each other. A change is on disk when it is done.
"""

import contextlib
import json
import os
import sqlite3
import threading

from service.old_journal import read_journal

# How long a change waits for one of another process. Each holds the lock for a moment.
LOCK_TIMEOUT_SECONDS = 10

# A deleted record leaves its id behind: ids are never given twice, and other processes learn that it is gone.
SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS records (
  resource TEXT NOT NULL, id TEXT NOT NULL, record TEXT, revision INTEGER NOT NULL, UNIQUE (resource, id));
CREATE INDEX IF NOT EXISTS records_by_revision ON records (revision);
CREATE TABLE IF NOT EXISTS started (resource TEXT PRIMARY KEY);
COMMIT;
"""

CHANGES_AFTER = "SELECT resource, id, record, revision FROM records WHERE revision > ? ORDER BY rowid"
WRITE = """
INSERT INTO records (resource, id, record, revision) VALUES (?, ?, ?, ?)
ON CONFLICT (resource, id) DO UPDATE SET record = excluded.record, revision = excluded.revision
"""


class Store:
    def __init__(self, folder, resources):
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "records.db")
        _make_private(path)
        self._lock = threading.RLock()
        self._database = sqlite3.connect(
            path, timeout=LOCK_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.executescript(SCHEMA)
        self._collections = {resource["name"]: Collection(self, resource["name"]) for resource in resources}
        self._is_changing = False
        self._undo = []
        # The last change that is in memory.
        self._revision = 0
        self._seen_version = None
        with self.change():
            for resource in resources:
                self._begin(folder, resource["name"], resource.get("seed", []))

    def collection(self, name):
        return self._collections[name]

    @contextlib.contextmanager
    def change(self):
        """What is checked and then changed inside of it is done alone; it counts as a whole, or not at all."""
        with self._lock:
            self._database.execute("BEGIN IMMEDIATE")
            self._is_changing, self._undo = True, []
            try:
                self._catch_up()
                yield
                self._database.execute("COMMIT")
            except BaseException:
                # SQLite has rolled back already when the disk is full.
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                # Whatever was not committed is not in memory either.
                for undo in reversed(self._undo):
                    undo()
                raise
            finally:
                self._is_changing = False

    @contextlib.contextmanager
    def reading(self):
        """Before records are read: what other processes have changed is read from the disk."""
        with self._lock:
            if not self._is_changing:
                (version,) = self._database.execute("PRAGMA data_version").fetchone()
                if version != self._seen_version:
                    self._seen_version = version
                    self._catch_up()
            yield

    def write(self, name, record_id, record):
        """Stores a record, or with none removes it; for collections."""
        if not self._is_changing:
            raise RuntimeError("Records are changed inside of change().")
        collection, before = self._collections[name], self._revision
        known = collection.known(record_id)
        text = None if record is None else json.dumps(record)
        self._database.execute(WRITE, (name, record_id, text, before + 1))
        self._revision = before + 1
        collection.apply(record_id, record)

        def undo():
            self._revision = before
            collection.apply(record_id, known)

        self._undo.append(undo)

    def close(self):
        with self._lock:
            self._database.close()

    def _catch_up(self):
        for name, record_id, text, revision in self._database.execute(CHANGES_AFTER, (self._revision,)).fetchall():
            if name in self._collections:
                self._collections[name].apply(record_id, None if text is None else json.loads(text))
            self._revision = max(self._revision, revision)

    def _begin(self, folder, name, seed):
        """Examples are for the first start only: once deleted, they stay deleted."""
        if self._database.execute("INSERT OR IGNORE INTO started VALUES (?)", (name,)).rowcount == 0:
            return
        journal = read_journal(os.path.join(folder, f"{name}.jsonl"))
        records, last_id = (seed, 0) if journal is None else journal
        for record in records:
            self.write(name, str(record["id"]), record)
        if last_id > 0 and self._collections[name].known(str(last_id)) is None:
            self.write(name, str(last_id), None)


class Collection:
    """The records of one resource, in the order in which they were made. Ids are never given twice."""

    def __init__(self, store, name):
        self._store = store
        self._name = name
        self._records = {}
        self._last_id = 0

    def all(self):
        with self._store.reading():
            return list(self._records.values())

    def get(self, record_id):
        with self._store.reading():
            return self.known(str(record_id))

    def insert(self, fields):
        return self.replace({"id": self._last_id + 1, **fields})

    def replace(self, record):
        self._store.write(self._name, str(record["id"]), record)
        return record

    def remove(self, record_id):
        self._store.write(self._name, str(record_id), None)

    def known(self, record_id):
        """As it is in memory."""
        return self._records.get(record_id)

    def apply(self, record_id, record):
        if record is None:
            self._records.pop(record_id, None)
        else:
            self._records[record_id] = record
        if record_id.isascii() and record_id.isdigit():
            self._last_id = max(self._last_id, int(record_id))


def _make_private(path):
    """Makes an empty file that only its owner can read, and those who may write into its folder."""
    is_shared = os.stat(os.path.dirname(path)).st_mode & 0o020
    mode = 0o660 if is_shared else 0o600
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        os.chmod(path, mode)
    except FileExistsError:
        pass
