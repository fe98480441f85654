"""Everything that is kept: in memory to read, in a journal for each resource to survive."""

import json
import os
import threading


class Store:
    def __init__(self, folder, resources):
        os.makedirs(folder, exist_ok=True)
        self._collections = {
            resource["name"]: Collection(os.path.join(folder, f"{resource['name']}.jsonl"), resource.get("seed", []))
            for resource in resources
        }

    def collection(self, name):
        return self._collections[name]

    def close(self):
        for collection in self._collections.values():
            collection.close()


class Collection:
    """The records of one resource. Ids are never given twice, not even after a restart."""

    def __init__(self, path, seed):
        self._records = {}
        self._last_id = 0
        self._lock = threading.Lock()
        entries = read_journal(path)
        # Examples are for the first start only: once deleted, they stay deleted.
        is_first = len(entries) == 0 and len(seed) > 0
        for entry in [{"put": record} for record in seed] if is_first else entries:
            self._apply(entry)
        compact = [{"last": self._last_id}, *({"put": record} for record in self._records.values())]
        if is_first or len(compact) < len(entries) / 2:
            rewrite_journal(path, compact)
        self._file = open(path, "ab", opener=_private)

    def all(self):
        return list(self._records.values())

    def get(self, record_id):
        return self._records.get(str(record_id))

    def insert(self, fields):
        with self._lock:
            record = {"id": self._last_id + 1, **fields}
            self._change([{"put": record}])
            return record

    def replace(self, record):
        with self._lock:
            self._change([{"put": record}])
            return record

    def remove(self, record_id):
        with self._lock:
            self._change([{"remove": record_id}])

    def close(self):
        self._file.close()

    def _change(self, entries):
        """On disk first: what was answered is never lost."""
        self._file.write(b"".join(_line_of(entry) for entry in entries))
        self._file.flush()
        os.fsync(self._file.fileno())
        for entry in entries:
            self._apply(entry)

    def _apply(self, entry):
        if "last" in entry:
            self._last_id = entry["last"]
        if "remove" in entry:
            self._records.pop(str(entry["remove"]), None)
        if "put" in entry:
            record = entry["put"]
            self._records[str(record["id"])] = record
            if isinstance(record["id"], int):
                self._last_id = max(self._last_id, record["id"])


def read_journal(path):
    """What a file holds, a line of JSON each. What a crash left half written is cut off."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return []
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        os.truncate(path, len(whole))
    return [json.loads(line) for line in whole.splitlines()]


def rewrite_journal(path, entries):
    """Puts other entries in the place of all that are there: either all of them are on disk afterwards, or none."""
    draft = f"{path}.tmp"
    with open(draft, "wb", opener=_private) as file:
        file.write(b"".join(_line_of(entry) for entry in entries))
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


def _private(path, flags):
    return os.open(path, flags, 0o600)


def _line_of(entry):
    return json.dumps(entry).encode() + b"\n"
