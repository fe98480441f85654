"""A small service that has everything once, and records that fit the fields of any."""

STATUSES = {"create": 201, "change": 200, "remove": 204, "invalid": 422}
LISTS = {"filters": [], "search": [], "sort": [], "list_key": "items", "is_open": False, "statuses": STATUSES}

EXAMPLE_MODEL = {
    "title": "Library",
    "version": "1.0.0",
    "description": "Shelves and what stands on them.",
    "is_pretty": False,
    "bad_query_status": 400,
    "auth": {"token_variable": "API_TOKEN"},
    "protects": ["GET /export", "DELETE /shelves/{id}", "/secret/*"],
    "phrases": {"404": ["Look elsewhere"]},
    "system": {
        "health": [{"path": "/health", "answer": {"status": "ok"}}],
        "openapi": ["/openapi.json"],
        "metrics": ["/metrics"],
        "exports": ["/export"],
        "logins": [{"path": "/login", "user_field": "email", "password_field": "password", "status": 200}],
        "accounts": [],
        "bad_login_status": 422,
    },
    "routes": [{"method": "GET", "path": "/teapot", "status": 418, "body": {"error": "short and stout"}}],
    "resources": [
        {
            **LISTS,
            "name": "shelf",
            "title": "shelf",
            "path": "/shelves",
            "fields": {"name": {"type": "string", "required": True, "max_length": 20}},
            "filters": ["name"],
            "statuses": {**STATUSES, "bad_id": 400},
        },
        {
            **LISTS,
            "name": "book",
            "title": "book",
            "path": "/shelves/{shelf_id}/books",
            "parent": {"resource": "shelf", "field": "shelf_id"},
            "fields": {
                "title": {"type": "string", "required": True},
                "isbn": {"type": "string", "unique": True},
                "pages": {"type": "integer", "min": 1, "max": 5000},
                "state": {"type": "enum", "values": ["new", "worn", "lost"], "default": "new"},
                "tags": {"type": "list", "of": {"type": "string", "max_length": 10}, "max_length": 3},
            },
            "filters": ["state", "tags"],
            "search": ["title"],
            "sort": ["title", "state", "pages"],
            "actions": {"lend": {"method": "POST", "status": 200}},
        },
        {
            **LISTS,
            "name": "member",
            "title": "member",
            "path": "/members",
            "fields": {
                "email": {"type": "email", "required": True, "unique": True},
                "password": {"type": "password", "required": True},
            },
            "is_open": True,
            "seed": [{"id": 7, "email": "first@example.org"}],
        },
        {
            **LISTS,
            "name": "settings",
            "title": "settings",
            "path": "/settings",
            "fields": {"theme": {"type": "string", "required": True}},
            "is_open": True,
            "is_single": True,
        },
    ],
}

BY_TYPE = {
    "boolean": True,
    "date": "2030-05-04",
    "datetime": "2030-05-04T10:00:00Z",
    "email": "someone@example.org",
    "url": "https://example.org/",
    "object": {},
}


def example_of(resource):
    return {name: _value_of(field) for name, field in resource["fields"].items()}


def is_example_known(resource):
    """Which text fits a pattern cannot be told from it: then nothing is known that could be required."""
    return not any(
        field.get("required") and "pattern" in field and "default" not in field for field in resource["fields"].values()
    )


def _value_of(field):
    kind = field["type"]
    if "default" in field:
        return field["default"]
    if kind == "enum":
        return field["values"][0]
    if kind in ("integer", "number"):
        lowest = field.get("min", 1)
        return max(lowest, min(max(1, lowest), field.get("max", max(1, lowest))))
    if kind == "list":
        return [_value_of(field["of"])] if "of" in field else []
    if "pattern" in field:
        return None
    return BY_TYPE.get(kind, "x" * max(1, field.get("min_length", 1)))
