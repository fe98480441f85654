"""The records that a query asks for: filtered, searched, sorted, and of those one page."""

from service.errors import HttpError
from service.expressions import comparable, time_of

DEFAULT_LIMIT = 100
HIGHEST_LIMIT = 1000


def select(resource, records, query):
    """`query` has the values of each name, in their order."""
    found = [
        record
        for record in records
        if _matches_filters(resource, record, query) and _matches_search(resource, record, query)
    ]
    found = _sorted(resource, found, query)
    limit, offset = _page_of(query, resource.get("page_size", DEFAULT_LIMIT))
    return {"items": found[offset : offset + limit], "total": len(found), "limit": limit, "offset": offset}


def _matches_filters(resource, record, query):
    """`?status=open`: equal to one of the values; in a list, one of the entries. `?seats_min=4`: in a range."""
    for name in resource["filters"]:
        if not _is_in_range(record.get(name), query.get(f"{name}_min"), query.get(f"{name}_max")):
            return False
        wanted = [part for value in query.get(name, []) for part in (value, *value.split(","))]
        if not wanted:
            continue
        value = record.get(name)
        entries = value if isinstance(value, list) else [value]
        if not any(_as_text(entry) in wanted for entry in entries):
            return False
    return True


def _is_in_range(value, lowest, highest):
    """Numbers are compared as numbers, days and moments as points in time. What is empty is in no range."""
    if lowest is None and highest is None:
        return True
    if value is None:
        return False

    def is_at_least(a, b):
        try:
            x, y = (float(a), float(b)) if isinstance(value, (int, float)) else comparable(str(a), str(b))
        except ValueError:
            return False
        return x >= y

    return (lowest is None or is_at_least(value, lowest[0])) and (highest is None or is_at_least(highest[0], value))


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
    """`?sort=name`, `?sort=-name` or `?sort=name&order=desc`. An enum comes as declared, moments as they follow."""
    asked = query.get("sort", [None])[0]
    wanted = resource.get("order", "") if asked is None else asked
    name = wanted.lstrip("-+ ")
    if asked is not None and name not in resource["sort"]:
        message = f"'sort' must be one of {', '.join(resource['sort'])}, not '{name}'."
        raise HttpError(400, "bad_query", message)
    if name == "":
        return records
    field = resource["fields"].get(name, {})
    is_down = wanted.startswith("-") or query.get("order", [""])[0] == "desc"
    present = [record for record in records if record.get(name) is not None]
    absent = [record for record in records if record.get(name) is None]

    def rank(record):
        value = record[name]
        if field.get("type") == "enum":
            return (0, field["values"].index(value)) if value in field["values"] else (1, 0)
        if field.get("type") == "datetime":
            return (0, time_of(value) or 0)
        return (0, value) if isinstance(value, (int, float)) else (1, str(value))

    return sorted(present, key=rank, reverse=is_down) + absent


def _page_of(query, page_size):
    """`?limit=20&offset=40`, or the same as `?per_page=20&page=3`."""

    def number(names, lowest, fallback):
        name = next((candidate for candidate in names if candidate in query), None)
        if name is None:
            return fallback
        text = query[name][0]
        if text.isascii() and text.isdigit() and len(text) < 16 and int(text) >= lowest:
            return int(text)
        raise HttpError(400, "bad_query", f"'{name}' must be a whole number from {lowest}.")

    limit = min(HIGHEST_LIMIT, number(["limit", "per_page", "page_size"], 1, page_size))
    return limit, number(["offset"], 0, (number(["page"], 1, 1) - 1) * limit)
