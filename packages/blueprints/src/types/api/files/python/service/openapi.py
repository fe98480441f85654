"""The service described in the OpenAPI format, for people and for tools that make clients."""

import re

JSON_TYPES = {"integer": "integer", "number": "number", "boolean": "boolean", "list": "array", "object": "object"}
FORMATS = {"date": "date", "datetime": "date-time", "email": "email", "url": "uri", "password": "password"}


def openapi_document(model):
    paths = {}
    for resource in model["resources"]:
        for path, method, operation in _operations_of(resource):
            if method.upper() in resource.get("only", [method.upper()]):
                paths.setdefault(path, {})[method] = operation
    for health in model["system"]["health"]:
        paths.setdefault(health["path"], {})["get"] = {"responses": {"200": {"description": "The service is well."}}}
    for route in model["routes"]:
        answer = {str(route["status"]): {"description": "As described."}}
        paths.setdefault(route["path"], {})[route["method"].lower()] = {"responses": answer}
    return {
        "openapi": "3.1.0",
        "info": {"title": model["title"], "version": model["version"], "description": model["description"]},
        "paths": paths,
        "components": {
            "schemas": {resource["name"]: _schema_of(resource) for resource in model["resources"]},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operations_of(resource):
    path, title, statuses = resource["path"], resource["title"], resource["statuses"]
    item = f"{path}/{{id}}"
    schema = {"$ref": f"#/components/schemas/{resource['name']}"}
    body = {"content": {"application/json": {"schema": schema}}}
    above = [_parameter(name, "path") for name in re.findall(r"\{(\w+)\}", path)]
    own = [*above, _parameter("id", "path")]
    missing = {"404": {"description": "Not found"}}
    invalid = {str(statuses["invalid"]): {"description": "Invalid, with the reason for each field"}}
    queries = [_parameter(name, "query") for name in [*resource["filters"], "q", "sort", "limit", "offset"]]

    def operation(summary, parameters, status, sends=False, more=None):
        answers = {str(status): {"description": summary}, **(more or {})}
        request = {"requestBody": body} if sends else {}
        return {"summary": summary, "parameters": parameters, **request, "responses": answers}

    if resource.get("is_single"):
        return [
            (path, "get", operation(f"Read the {title}", [], 200)),
            (path, "put", operation(f"Replace the {title}", [], statuses["change"], True, invalid)),
            (path, "patch", operation(f"Change the {title}", [], statuses["change"], True, invalid)),
        ]
    return [
        (path, "get", operation(f"List each {title}", above + queries, 200)),
        (path, "post", operation(f"Create a {title}", above, statuses["create"], True, invalid)),
        (item, "get", operation(f"Read a {title}", own, 200, False, missing)),
        (item, "put", operation(f"Replace a {title}", own, statuses["change"], True, {**missing, **invalid})),
        (item, "patch", operation(f"Change a {title}", own, statuses["change"], True, {**missing, **invalid})),
        (item, "delete", operation(f"Delete a {title}", own, statuses["remove"], False, missing)),
    ]


def _parameter(name, place):
    return {"name": name, "in": place, "required": place == "path", "schema": {"type": "string"}}


def _schema_of(resource):
    fields = resource["fields"]
    set_by_service = {"type": "string", "format": "date-time", "readOnly": True}
    schema = {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "readOnly": True},
            **{name: _schema_of_field(field) for name, field in fields.items()},
            "created_at": set_by_service,
            "updated_at": set_by_service,
        },
    }
    required = [name for name, field in fields.items() if field.get("required")]
    return {**schema, "required": required} if required else schema


def _schema_of_field(field):
    kind = field["type"]
    schema = {}
    if kind == "enum":
        schema["enum"] = field["values"]
    elif kind != "any":
        schema["type"] = JSON_TYPES.get(kind, "string")
    if kind in FORMATS:
        schema["format"] = FORMATS[kind]
    if "of" in field:
        schema["items"] = _schema_of_field(field["of"])
    longest = "maxItems" if kind == "list" else "maxLength"
    names = {"min": "minimum", "max": "maximum", "min_length": "minLength", "max_length": longest}
    for name in ("pattern", "default"):
        names[name] = name
    return {**schema, **{theirs: field[ours] for ours, theirs in names.items() if ours in field}}
