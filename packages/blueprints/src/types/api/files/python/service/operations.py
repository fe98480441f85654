"""Every operation of the service, for the descriptions of it."""

from service.errors import with_article

WRONG = {"409": "In conflict with what is there", "422": "Invalid, with the reason for each field"}
MISSING = {"404": "Not found"}


def operations_of(model):
    """Method, path, what it does, of which resource, who may do it, its body, its query, and what it answers."""
    found = [operation for resource in model["resources"] for operation in _of_resource(resource)]
    return [*found, *_of_accounts(model), *_of_system(model["system"])]


def _of_resource(resource):
    path, title, access = resource["path"], resource["title"], resource["access"]
    item = f"{path}/{{id}}"

    def make(method, place, summary, kind, answers, **more):
        return {
            "method": method,
            "path": place,
            "summary": summary,
            "resource": resource,
            "who": access[kind],
            "answers": answers,
            **more,
        }

    one, sent = {"returns": "one"}, {"returns": "one", "body": resource}
    if resource.get("is_single"):
        found = [
            make("GET", path, f"Read the {title}", "read", {"200": "As stored"}, **one),
            make("PUT", path, f"Replace the {title}", "change", {"200": "Replaced", **WRONG}, **sent),
            make("PATCH", path, f"Change the {title}", "change", {"200": "Changed", **WRONG}, **sent),
        ]
    else:
        page = {"query": _query_of(resource), "returns": "list"}
        deleted = {"204": "Deleted", **MISSING, "409": WRONG["409"]}
        found = [
            make("GET", path, f"List each {title}", "read", {"200": "A page of the list"}, **page),
            make("POST", path, f"Add {with_article(title)}", "create", {"201": "Added", **WRONG}, **sent),
            make("GET", item, f"Read {with_article(title)}", "read", {"200": "As stored", **MISSING}, **one),
            make("PUT", item, f"Replace {with_article(title)}", "change", {"200": "Replaced", **MISSING, **WRONG}, **sent),
            make("PATCH", item, f"Change {with_article(title)}", "change", {"200": "Changed", **MISSING, **WRONG}, **sent),
            make("DELETE", item, f"Delete {with_article(title)}", "delete", deleted),
        ]
    methods = resource.get("methods")
    found = [operation for operation in found if methods is None or operation["method"] in methods]
    for name, action in resource["actions"].items():
        summary = action.get("description", f"{name} {with_article(title)}")
        done = make("POST", f"{item}/{name}", summary, "change", {"200": "Done", **MISSING, **WRONG}, **one)
        found.append({**done, "who": action["access"]})
    return found


def _query_of(resource):
    """What the query of a list may say."""
    fields, filters = resource["fields"], resource["filters"]
    kinds = ("integer", "number", "date", "datetime")
    ranged = [name for name in filters if fields.get(name, {}).get("type") in kinds]
    ranges = [f"{name}_{end}" for name in ranged for end in ("min", "max")]
    return [*filters, *ranges, "q", "sort", "limit", "offset"]


def _of_accounts(model):
    accounts = model["auth"].get("accounts")
    if accounts is None:
        return []
    resource = next(one for one in model["resources"] if one["name"] == accounts["resource"])
    text, secret = {"type": "string", "required": True}, {"type": "password", "required": True}
    login = {"fields": {accounts["name_field"]: text, accounts["password_field"]: secret}}
    found = [
        {"method": "POST", "path": accounts["login"], "summary": "Log in", "who": ["anyone"], "body": login,
         "answers": {"200": "A token", "401": "Refused", "422": WRONG["422"]}},
        {"method": "POST", "path": accounts["logout"], "summary": "Log out everywhere", "who": ["signed_in"],
         "answers": {"204": "Done"}},
        {"method": "GET", "path": accounts["me"], "summary": "Read the account that asks", "who": ["signed_in"],
         "resource": resource, "answers": {"200": "As stored"}, "returns": "one"},
    ]  # fmt: skip
    if "sign_up" in accounts:
        sign_up = {"method": "POST", "path": accounts["sign_up"], "summary": "Sign up", "who": ["anyone"]}
        more = {"resource": resource, "body": _without_role(resource), "returns": "one"}
        found.append({**sign_up, **more, "answers": {"201": "Added", **WRONG}})
    return found


def _without_role(resource):
    fields = resource["fields"].items()
    own = {name: field for name, field in fields if not field.get("is_role") and not field.get("is_owner")}
    return {**resource, "fields": own}


def _of_system(system):
    def get(path, summary):
        return {"method": "GET", "path": path, "summary": summary, "who": ["anyone"], "answers": {"200": summary}}

    found = [get(path, "Whether the service is well") for path in system["health"]]
    found.append(get(system["metrics"], "What it counted, for Prometheus"))
    if "export" in system:
        found.append(get(system["export"], "Everything that is stored and the caller may read"))
    return found
