"""Everything that is kept: on disk in a database, and in memory to read.

Several processes may share a folder, such as two versions of the service while one takes over: each sees what the others
have stored, and their changes wait for each other. A change is on disk when it is done.
"""

import contextlib
import json
import os
import sqlite3
import threading

from service.expressions import now_text
from service.old_journal import read_journal
from service.versions import Version

# How long a change waits for one of another process. Each holds the lock for a moment.
LOCK_TIMEOUT_SECONDS = 10

# A deleted record leaves its id behind: ids are never given twice, and other processes learn that it is gone.
SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS records (
  resource TEXT NOT NULL, id TEXT NOT NULL, record TEXT, revision INTEGER NOT NULL, UNIQUE (resource, id));
CREATE INDEX IF NOT EXISTS records_by_revision ON records (revision);
CREATE TABLE IF NOT EXISTS started (resource TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS stored_as (name TEXT PRIMARY KEY, resource TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS versions (version INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE);
COMMIT;
"""

CHANGES_AFTER = "SELECT resource, id, record, revision, version FROM records WHERE revision > ? ORDER BY rowid"
WRITE = """
INSERT INTO records (resource, id, record, revision, version) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (resource, id) DO UPDATE SET
  record = excluded.record, revision = excluded.revision, version = excluded.version
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
        self._add_column()
        # The names that the writers of records knew, by the number of their version.
        self._names = {}
        self._by_name = {resource["name"]: self._collection_of(resource) for resource in resources}
        self._by_place = {collection.place: collection for collection in self._by_name.values()}
        self._is_changing = False
        self._undo = []
        # The last change that is in memory.
        self._revision = 0
        self._seen_version = None
        with self.change():
            for resource in resources:
                self._begin(folder, resource["name"], resource.get("seed", []))

    def collection(self, name):
        return self._by_name[name]

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

    def write(self, collection, record_id, stored):
        """Stores a record, or with none removes it; for collections."""
        if not self._is_changing:
            raise RuntimeError("Records are changed inside of change().")
        before, known = self._revision, collection.stored(record_id)
        text = None if stored is None else json.dumps(stored)
        self._database.execute(WRITE, (collection.place, record_id, text, before + 1, collection.number))
        self._revision = before + 1
        collection.apply(record_id, stored, collection.version.names)

        def undo():
            self._revision = before
            collection.apply(record_id, *known)

        self._undo.append(undo)

    def close(self):
        with self._lock:
            self._database.close()

    def _catch_up(self):
        rows = self._database.execute(CHANGES_AFTER, (self._revision,)).fetchall()
        for place, record_id, text, revision, version in rows:
            if place in self._by_place:
                stored = None if text is None else json.loads(text)
                self._by_place[place].apply(record_id, stored, self._names_of(version))
            self._revision = max(self._revision, revision)

    def _names_of(self, version):
        if version is not None and version not in self._names:
            row = self._database.execute("SELECT names FROM versions WHERE version = ?", (version,)).fetchone()
            self._names[version] = None if row is None else json.loads(row[0])
        return self._names.get(version)

    def _add_column(self):
        """Added to what earlier versions of this program have made."""
        with self._transaction():
            columns = [row[1] for row in self._database.execute("PRAGMA table_info(records)")]
            if "version" not in columns:
                self._database.execute("ALTER TABLE records ADD COLUMN version INTEGER")

    def _collection_of(self, resource):
        with self._transaction():
            version = Version(resource)
            place = self._place_of(resource)
            text = json.dumps(version.names, separators=(",", ":"))
            self._database.execute("INSERT OR IGNORE INTO versions (names) VALUES (?)", (text,))
            (number,) = self._database.execute("SELECT version FROM versions WHERE names = ?", (text,)).fetchone()
            return Collection(self, place, version, number)

    def _place_of(self, resource):
        """Where the records of a resource are: under its first name, which every version of the service finds."""

        def find(name):
            row = self._database.execute("SELECT resource FROM stored_as WHERE name = ?", (name,)).fetchone()
            return None if row is None else row[0]

        name, was = resource["name"], resource.get("was")
        known = find(name)
        if known is not None:
            return known
        place = name if was is None else find(was) or was
        self._database.execute("INSERT INTO stored_as VALUES (?, ?)", (name, place))
        return place

    @contextlib.contextmanager
    def _transaction(self):
        self._database.execute("BEGIN IMMEDIATE")
        yield
        self._database.execute("COMMIT")

    def _begin(self, folder, name, seed):
        """Examples are for the first start only: once deleted, they stay deleted."""
        collection = self._by_name[name]
        if self._database.execute("INSERT OR IGNORE INTO started VALUES (?)", (collection.place,)).rowcount == 0:
            return
        journal = read_journal(os.path.join(folder, f"{name}.jsonl"))
        at = now_text()
        first = [{"id": number, "created_at": at, "updated_at": at, **opened(one)} for number, one in enumerate(seed, 1)]
        records, last_id = (first, 0) if journal is None else journal
        for record in records:
            collection.replace(record)
        if last_id > 0 and collection.get(last_id) is None:
            self.write(collection, str(last_id), None)


class Collection:
    """The records of one resource, in the order in which they were made. Ids are never given twice."""

    def __init__(self, store, place, version, number):
        self._store = store
        self.place = place
        self.version = version
        self.number = number
        self._records = {}
        self._stored = {}
        self._last_id = 0

    def all(self):
        with self._store.reading():
            return list(self._records.values())

    def get(self, record_id):
        with self._store.reading():
            return self._records.get(str(record_id))

    def insert(self, fields):
        return self.replace({"id": self._last_id + 1, **fields})

    def replace(self, record):
        record_id = str(record["id"])
        before, _ = self.stored(record_id)
        self._store.write(self, record_id, self.version.write(record, before))
        return self._records[record_id]

    def remove(self, record_id):
        self._store.write(self, str(record_id), None)

    def stored(self, record_id):
        """As it is on disk, and the names that its writer knew."""
        return self._stored.get(record_id, (None, None))

    def apply(self, record_id, stored, names):
        if stored is None:
            self._records.pop(record_id, None)
            self._stored.pop(record_id, None)
        else:
            self._records[record_id] = self.version.read(stored, names)
            self._stored[record_id] = (stored, names)
        if record_id.isascii() and record_id.isdigit():
            self._last_id = max(self._last_id, int(record_id))


def opened(record):
    """A record of the model with the hashes of its passwords, which stand beside its values there."""
    return {**{name: value for name, value in record.items() if name != "sealed"}, **dict(record.get("sealed", []))}


def _make_private(path):
    """Makes an empty file that only its owner can read, and those who may write into its folder."""
    is_shared = os.stat(os.path.dirname(path)).st_mode & 0o020
    mode = 0o660 if is_shared else 0o600
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        os.chmod(path, mode)
    except FileExistsError:
        pass
