"""What an earlier version of this service kept, in a file of one line of JSON for each change."""

import json


def read_journal(path):
    """The records and the last id; nothing if there is no such file. What a crash left half written is left out."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return None
    records, last_id = {}, 0
    for line in content[: content.rfind(b"\n") + 1].splitlines():
        entry = json.loads(line)
        last_id = max(last_id, entry.get("last", 0))
        records.pop(str(entry.get("remove")), None)
        if "put" in entry:
            record = entry["put"]
            records[str(record["id"])] = record
            last_id = max(last_id, record["id"] if isinstance(record["id"], int) else 0)
    return list(records.values()), last_id
