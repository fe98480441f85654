"""The records that a query asks for: filtered, searched, sorted, and of those one page."""

from service.errors import HttpError

DEFAULT_LIMIT = 100
HIGHEST_LIMIT = 1000


def select(resource, records, query, bad_query_status=400):
    """`query` has the values of each name, in their order."""
    found = [
        record
        for record in records
        if _matches_filters(resource, record, query) and _matches_search(resource, record, query)
    ]
    found = _sorted(resource, found, query)
    limit, offset = _page_of(query, bad_query_status)
    return {"items": found[offset : offset + limit], "total": len(found), "limit": limit, "offset": offset}


def _matches_filters(resource, record, query):
    """`?status=open`: equal to the value, or to one of several; in a list, one of the entries."""
    for name in resource["filters"]:
        wanted = [part for value in query.get(name, []) for part in (value, *value.split(","))]
        if not wanted:
            continue
        value = record.get(name)
        entries = value if isinstance(value, list) else [value]
        if not any(_as_text(entry) in wanted for entry in entries):
            return False
    return True


def _as_text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _matches_search(resource, record, query):
    """`?q=word`: all words are somewhere in the texts, whatever their case."""
    words = (query.get("q") or query.get("search") or [""])[0].lower().split()
    text = "\n".join(_as_text(record.get(name)) for name in resource["search"]).lower()
    return all(word in text for word in words)


def _sorted(resource, records, query):
    """`?sort=name`, `?sort=-name` or `?sort=name&order=desc`. The values of an enum come as they are declared."""
    wanted = query.get("sort", [""])[0]
    name = wanted.lstrip("-+")
    if name not in resource["sort"]:
        return records
    field = resource["fields"].get(name, {})
    is_down = wanted.startswith("-") or query.get("order", [""])[0] == "desc"
    present = [record for record in records if record.get(name) is not None]
    absent = [record for record in records if record.get(name) is None]

    def rank(record):
        value = record[name]
        if field.get("type") == "enum":
            return (0, field["values"].index(value)) if value in field["values"] else (1, 0)
        return (0, value) if isinstance(value, (int, float)) else (1, str(value))

    return sorted(present, key=rank, reverse=is_down) + absent


def _page_of(query, bad_query_status):
    """`?limit=20&offset=40`, or the same as `?per_page=20&page=3`."""

    def number(names, lowest, fallback):
        name = next((candidate for candidate in names if candidate in query), None)
        if name is None:
            return fallback
        text = query[name][0]
        if text.isascii() and text.isdigit() and int(text) >= lowest:
            return int(text)
        raise HttpError(bad_query_status, "bad_query", f"'{name}' must be a whole number from {lowest}.")

    limit = min(HIGHEST_LIMIT, number(["limit", "per_page", "page_size"], 1, DEFAULT_LIMIT))
    return limit, number(["offset"], 0, (number(["page"], 1, 1) - 1) * limit)
