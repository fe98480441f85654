"""Records in one JSON file."""

import json
import os
from pathlib import Path

from app.errors import Failure


class Store:
    """A change replaces the file as a whole, so that a crash leaves the old one."""

    def __init__(self, file):
        self._file = Path(file)

    def all(self):
        return self._load()["records"]

    def find(self, number):
        for record in self.all():
            if record["id"] == number:
                return record
        raise Failure(f"there is nothing with the number {number}")

    def add(self, values):
        return self.add_all([values])[0]

    def add_all(self, records):
        """Adds all or, if that fails, none."""
        data = self._load()
        added = [{"id": 0, **values, "id": number} for number, values in enumerate(records, data["lastId"] + 1)]
        self._save(data["lastId"] + len(added), data["records"] + added)
        return added

    def change(self, number, values):
        data = self._load()
        changed = {**self.find(number), **values, "id": number}
        self._save(data["lastId"], [changed if each["id"] == number else each for each in data["records"]])
        return changed

    def remove(self, number):
        found = self.find(number)
        data = self._load()
        self._save(data["lastId"], [each for each in data["records"] if each["id"] != number])
        return found

    def _load(self):
        try:
            data = json.loads(self._file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {"lastId": 0, "records": []}
        except OSError as error:
            raise Failure(f"{self._file} cannot be read: {error}") from error
        except ValueError:
            data = None
        if isinstance(data, dict) and isinstance(data.get("lastId"), int) and isinstance(data.get("records"), list):
            return data
        raise Failure(f"{self._file} is not a data file of this program; it was left as it is")

    def _save(self, last_id, records):
        draft = self._file.with_name(f"{self._file.name}.{os.getpid()}.tmp")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps({"lastId": last_id, "records": records}, indent=2, ensure_ascii=False)
            draft.write_text(f"{text}\n", encoding="utf-8")
            draft.replace(self._file)
        except OSError as error:
            raise Failure(f"{self._file} cannot be written: {error}") from error
