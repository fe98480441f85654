"""The fields that actions set: who may choose them in another way."""

import json

from service.access import refuse_unless
from service.errors import HttpError
from service.expressions import is_true
from service.references import related_in
from service.validate import default_of


def action_fields(resource):
    """The fields that actions set. Where a record is replaced, they stay as they are unless they are given."""
    return list(dict.fromkeys(field for action in resource["actions"].values() for field in action["sets"]))


def refuse_bypass(context, actor, sent, record, known=None):
    """Refuses a value that the actor could not have set by an action.

    Whoever may not do all that sets a field may not choose it in another way, and a value that an action sets is set
    only where the action could. `sent` is what the caller gave.
    """
    resource = context["resource"]
    before = known or {**record, **_first_values(resource)}
    for field in action_fields(resource):
        if field not in sent or _is_same(record.get(field), before.get(field)):
            continue
        acting = {name: action for name, action in resource["actions"].items() if field in action["sets"]}
        for name, action in acting.items():
            refuse_unless(action["access"], actor, resource, f"choose {field}, which '{name}' sets", known)
        same = [action for action in acting.values() if _is_same(action["sets"][field], record.get(field))]
        if not same or any(is_true(action.get("when"), before, related_in(context)) for action in same):
            continue
        problem = f"cannot become this as the {resource['title']} is now"
        raise HttpError(409, "conflict", f"{field} {problem}.", fields={field: problem})


def _first_values(resource):
    """What a new record has where nobody chooses."""
    return {name: default_of(resource["fields"][name]) for name in action_fields(resource)}


def _is_same(one, other):
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
