"""What leads from one record to another."""

import json

from service.errors import HttpError, with_article
from service.expressions import now_text


def references_of(resource):
    """The fields that lead to other records, with that of what the resource is below: field, resource, on delete."""
    own = [
        (name, field["to"], field["on_delete"])
        for name, field in resource["fields"].items()
        if field["type"] == "reference" and "to" in field
    ]
    parent = resource.get("parent")
    return own if parent is None else [*own, (parent["field"], parent["resource"], parent["on_delete"])]


def related_in(context):
    """Finds what a reference of a record leads to."""
    targets = {field: to for field, to, _ in references_of(context["resource"])}

    def related(field, record):
        record_id = record.get(field)
        if field not in targets or record_id is None:
            return None
        return context["store"].collection(targets[field]).get(record_id)

    return related


def with_references(context, values):
    """Refuses references that lead nowhere; answers the values with the ids as they are stored."""
    problems, found = {}, dict(values)
    for field, to, _ in references_of(context["resource"]):
        record_id = values.get(field)
        if record_id is None:
            continue
        target = context["store"].collection(to).get(record_id)
        if target is None:
            title = title_of(context["model"], to)
            shown = record_id if isinstance(record_id, (str, int)) else json.dumps(record_id)
            problems[field] = f"must be the id of {with_article(title)} that exists: there is no {shown}"
        else:
            found[field] = target["id"]
    if problems:
        message = "; ".join(f"{name} {problem}" for name, problem in problems.items())
        raise HttpError(422, "invalid", f"{message}.", fields=problems)
    return found


def release(context, resource, record):
    """Before a record is deleted: what leads to it holds it back, goes with it, or lets go of it, as the model says."""
    for child in context["model"]["resources"]:
        for field, to, on_delete in references_of(child):
            if to == resource["name"]:
                _release_by(context, child, field, on_delete, resource, record)


def _release_by(context, child, field, on_delete, resource, record):
    collection = context["store"].collection(child["name"])
    holders = [other for other in collection.all() if str(other.get(field)) == str(record["id"])]
    if not holders:
        return
    if on_delete == "restrict":
        ids = ", ".join(str(holder["id"]) for holder in holders[:3]) + (" and others" if len(holders) > 3 else "")
        remedy = f"delete {'it' if len(holders) == 1 else 'them'} first, or change {field}"
        message = f"The {resource['title']} {record['id']} is still used by the {child['title']} {ids}: {remedy}."
        raise HttpError(409, "conflict", message)
    for holder in holders:
        # A record may lead to itself, or may be gone by way of another one.
        if collection.get(holder["id"]) is None:
            continue
        if on_delete == "set_null":
            collection.replace({**holder, field: None, "updated_at": now_text()})
        else:
            collection.remove(holder["id"])
            release(context, child, holder)


def title_of(model, name):
    return next((resource["title"] for resource in model["resources"] if resource["name"] == name), name)
