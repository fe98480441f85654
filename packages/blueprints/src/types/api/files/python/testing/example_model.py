"""A small service that has everything once: what the tests of the program are made with."""

LISTS = {"filters": [], "search": [], "sort": [], "page_size": 100, "list_key": "items"}
OPEN = {"read": ["anyone"], "create": ["anyone"], "change": ["anyone"], "delete": ["anyone"]}
BASE = {**LISTS, "rules": [], "access": OPEN, "actions": {}, "seed": []}
STATE = {"field": "state"}


def _reference(to, on_delete="restrict", **more):
    return {"type": "reference", "to": to, "on_delete": on_delete, **more}


SHELF = {
    **BASE,
    "name": "shelf",
    "title": "shelf",
    "path": "/shelves",
    "fields": {
        "name": {"type": "string", "required": True, "max_length": 20},
        "room": {"type": "integer", "default": 1, "min": 1},
    },
    "filters": ["name", "room"],
    "search": ["name"],
    "sort": ["name"],
    "order": "-id",
}

BOOK = {
    **BASE,
    "name": "book",
    "title": "book",
    "path": "/shelves/{shelf_id}/books",
    "parent": {"resource": "shelf", "field": "shelf_id", "on_delete": "cascade"},
    "fields": {
        "title": {"type": "string", "required": True},
        "isbn": {"type": "string", "unique": True},
        "pages": {"type": "integer", "min": 1, "max": 5000},
        "state": {"type": "enum", "values": ["new", "worn", "lost"], "default": "new"},
        "tags": {"type": "list", "of": {"type": "string", "max_length": 10}, "max_length": 3},
        "follows": _reference("book", "set_null"),
    },
    "filters": ["state", "tags", "pages"],
    "search": ["title"],
    "sort": ["title", "state", "pages"],
    "rules": [
        {"kind": "moves", "fields": ["state"], "moves": {"lost": []}, "message": "cannot become this", "status": 409},
        {
            "kind": "required",
            "fields": ["pages"],
            "when": {"op": "==", "left": STATE, "right": {"value": "worn"}},
            "message": "is required where it is worn",
            "status": 422,
        },
        {
            "kind": "max_records",
            "fields": ["shelf_id"],
            "within": ["shelf_id"],
            "max": 3,
            "message": "is full",
            "status": 409,
        },
    ],
    "actions": {
        "lose": {
            "sets": {"state": "lost"},
            "when": {"op": "!=", "left": STATE, "right": {"value": "lost"}},
            "access": ["anyone"],
        },
    },
}

LOAN = {
    **BASE,
    "name": "loan",
    "title": "loan",
    "path": "/loans",
    "owner": "lent_to",
    "access": {
        "read": ["owner", "admin"],
        "create": ["signed_in"],
        "change": ["owner", "admin"],
        "delete": ["admin"],
    },
    "fields": {
        "book_id": _reference("book", required=True),
        "from": {"type": "date", "required": True},
        "until": {"type": "date", "required": True},
        "lent_to": _reference("member", "cascade", is_owner=True),
        "state": {"type": "enum", "values": ["asked", "granted", "back"], "default": "asked"},
    },
    "actions": {
        "grant": {
            "sets": {"state": "granted"},
            "when": {"op": "==", "left": {"field": "state"}, "right": {"value": "asked"}},
            "access": ["admin"],
        },
    },
    "rules": [
        {
            "kind": "check",
            "fields": ["until", "from"],
            "check": {"op": ">", "left": {"field": "until"}, "right": {"field": "from"}},
            "message": "must be after from",
            "status": 422,
        },
        {
            "kind": "no_overlap",
            "fields": ["from", "until"],
            "within": ["book_id"],
            "message": "overlaps another",
            "status": 409,
        },
        {
            "kind": "check",
            "fields": ["book_id"],
            "check": {"op": "!=", "left": {"field": "state", "via": "book_id"}, "right": {"value": "lost"}},
            "when": {"op": "!=", "left": {"field": "state"}, "right": {"value": "back"}},
            "message": "is lost.",
            "status": 422,
        },
    ],
}

MEMBER = {
    **BASE,
    "name": "member",
    "title": "member",
    "path": "/members",
    "owner": "id",
    "access": {"read": ["owner", "admin"], "create": ["admin"], "change": ["owner", "admin"], "delete": ["admin"]},
    "fields": {
        "email": {"type": "email", "required": True, "unique": True},
        "password": {"type": "password", "required": True, "min_length": 8},
        "role": {"type": "enum", "values": ["reader", "admin"], "is_role": True},
    },
    "seed": [{"id": 7, "email": "first@example.org", "role": "admin"}],
}

SETTINGS = {
    **BASE,
    "name": "settings",
    "title": "settings",
    "path": "/settings",
    "fields": {"theme": {"type": "string", "required": True}, "size": {"type": "integer", "default": 12}},
    "is_single": True,
}

EXAMPLE_MODEL = {
    "title": "Library",
    "version": "1.0.0",
    "description": "Shelves and what stands on them.",
    "auth": {
        "scheme": "session",
        "token_variable": "API_TOKEN",
        "session_hours": 1,
        "accounts": {
            "resource": "member",
            "name_field": "email",
            "password_field": "password",
            "role_field": "role",
            "roles": ["reader", "admin"],
            "default_role": "reader",
            "sign_up": "/sign-up",
            "login": "/login",
            "logout": "/logout",
            "me": "/me",
        },
    },
    "protects": [{"rule": "GET /export"}, {"rule": "/metrics", "roles": ["admin"]}],
    "system": {
        "health": ["/health"],
        "metrics": "/metrics",
        "openapi": "/openapi.json",
        "docs": "/docs",
        "export": "/export",
    },
    "resources": [SHELF, BOOK, LOAN, MEMBER, SETTINGS],
}
