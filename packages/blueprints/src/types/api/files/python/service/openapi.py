"""The service described in the OpenAPI format, for tools that make clients."""

import re

from service.access import covers
from service.operations import operations_of

JSON_TYPES = {
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "list": "array",
    "object": "object",
    "reference": "integer",
}
FORMATS = {
    "date": "date",
    "datetime": "date-time",
    "time": "time",
    "email": "email",
    "url": "uri",
    "password": "password",
}
STAMP = {"type": "string", "format": "date-time", "readOnly": True}


def openapi_document(model):
    paths = {}
    for operation in operations_of(model):
        paths.setdefault(operation["path"], {})[operation["method"].lower()] = _describe(model, operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": model["title"], "version": model["version"], "description": model["description"]},
        "paths": paths,
        "components": {
            "schemas": {resource["name"]: _schema_of(resource) for resource in model["resources"]},
            "securitySchemes": {"token": _scheme_of(model["auth"])},
        },
    }


def is_closed(model, operation):
    """Whether an operation asks who the caller is."""
    is_named = any(covers(entry["rule"], operation["method"], operation["path"]) for entry in model["protects"])
    return "anyone" not in operation["who"] or is_named


def _scheme_of(auth):
    header = auth.get("header")
    if header is None:
        return {"type": "http", "scheme": "bearer"}
    return {"type": "apiKey", "in": "header", "name": header}


def _describe(model, operation):
    resource, body, returns = operation.get("resource"), operation.get("body"), operation.get("returns")
    is_guarded = is_closed(model, operation)
    schema = None if resource is None else {"$ref": f"#/components/schemas/{resource['name']}"}
    content = {} if returns is None else _json(_list_of(resource, schema) if returns == "list" else schema)
    refused = {"401": "Nobody is logged in", "403": "Not allowed"} if is_guarded else {}
    responses = {
        status: {"description": text, **(content if status < "300" and status != "204" else {})}
        for status, text in {**operation["answers"], **refused}.items()
    }
    described = {
        "summary": operation["summary"],
        "parameters": [
            *(_parameter(name, "path") for name in re.findall(r"\{(\w+)\}", operation["path"])),
            *(_parameter(name, "query") for name in operation.get("query", [])),
        ],
        "responses": responses,
    }
    if resource is not None:
        described["tags"] = [resource["title"]]
    if body is not None:
        described["requestBody"] = _json(schema if body is resource else _schema_of(body))
    if is_guarded:
        described["security"] = [{"token": []}]
    return described


def _json(schema):
    return {"content": {"application/json": {"schema": schema}}}


def _list_of(resource, schema):
    numbers = {name: {"type": "integer"} for name in ("total", "limit", "offset")}
    return {"type": "object", "properties": {resource["list_key"]: {"type": "array", "items": schema}, **numbers}}


def _parameter(name, place):
    return {"name": name, "in": place, "required": place == "path", "schema": {"type": "string"}}


def _schema_of(resource):
    fields = resource["fields"]
    properties = {name: _schema_of_field(field) for name, field in fields.items()}
    number = {"type": "integer", "readOnly": True}
    schema = {"type": "object", "properties": {"id": number, **properties, "created_at": STAMP, "updated_at": STAMP}}
    if "description" in resource:
        schema["description"] = resource["description"]
    required = [name for name, field in fields.items() if field.get("required")]
    return {**schema, "required": required} if required else schema


def _schema_of_field(field):
    kind = field["type"]
    names = {"label": "title", "description": "description", "default": "default"}
    texts = {names[key]: field[key] for key in names if key in field}
    if kind == "any":
        return texts
    if kind == "enum":
        return {**texts, "enum": field["values"]}
    schema = {**texts, "type": JSON_TYPES.get(kind, "string")}
    if kind in FORMATS:
        schema["format"] = FORMATS[kind]
    if kind == "password":
        schema["writeOnly"] = True
    if field.get("is_owner"):
        schema["readOnly"] = True
    if "of" in field:
        schema["items"] = _schema_of_field(field["of"])
    limits = {"min": "minimum", "max": "maximum"}
    schema.update({limits[key]: field[key] for key in limits if isinstance(field.get(key), (int, float))})
    unit = "Items" if kind == "list" else "Length"
    schema.update({f"{key}{unit}": field[f"{key}_length"] for key in ("min", "max") if f"{key}_length" in field})
    return {**schema, "pattern": field["pattern"]} if "pattern" in field else schema
