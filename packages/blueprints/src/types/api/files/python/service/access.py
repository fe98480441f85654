"""Who may do what.

Who sends a request is its actor: None for anyone, `{"is_service": True}` for whoever brings the service's token, else
`{"account": …, "role": …}`.
"""

import re

from service.errors import HttpError


def refuse_unless(who, actor, resource, what, record=None):
    """Refuses an actor who may not do something: the words of the model, and for `owner` the record."""
    if "anyone" in who or may_by_role(who, actor):
        return
    if actor is None:
        raise unauthorized()
    if "owner" in who and (record is None or is_owner_of(resource, actor, record)):
        return
    raise HttpError(403, "forbidden", f"You may not {what}: that is for {say_who(who)}.")


def may_by_role(who, actor):
    """Whether the actor may do it as what they are, whatever the record."""
    if actor is None:
        return False
    return bool(actor.get("is_service")) or "signed_in" in who or actor.get("role") in who


def may_see(resource, actor, record):
    """Whether an actor finds a record at all."""
    who = resource["access"]["read"]
    if "anyone" in who or may_by_role(who, actor):
        return True
    return "owner" in who and actor is not None and is_owner_of(resource, actor, record)


def is_owner_of(resource, actor, record):
    account, owner = (actor or {}).get("account"), resource.get("owner")
    return account is not None and owner is not None and str(record.get(owner)) == str(account["id"])


def refuse_unprotected(protects, actor, method, path):
    """Refuses whoever may not ask for a route that `protects` names."""
    for entry in protects:
        if not covers(entry["rule"], method, path):
            continue
        if actor is None:
            raise unauthorized()
        roles = entry.get("roles")
        if roles is not None and not actor.get("is_service") and actor.get("role") not in roles:
            raise HttpError(403, "forbidden", f"You may not ask for this: it is for {say_who(roles)}.")


def covers(rule, method, path):
    """Whether a rule such as `GET /api/export` or `*` covers a route: what it names, and what is below."""
    verb, place = re.fullmatch(r"(?:([A-Z]+|\*)\s+)?(.*)", rule, re.DOTALL).groups()
    if verb not in (None, "*", method) and not (verb == "HEAD" and method == "GET"):
        return False
    if place == "*":
        return True
    wanted = re.sub(r"/$", "", _shape_of(re.sub(r"/?\*$", "", place)))
    asked = _shape_of(path)
    return asked == wanted or asked.startswith(f"{wanted}/")


def _shape_of(path):
    return re.sub(r"\{[^{}/]*\}|(?<=/)(?::\w+|\d+)(?=/|$)", "{}", re.sub(r"/+", "/", path))


def unauthorized():
    message = "Unauthorized: log in, or send a valid token."
    return HttpError(401, "unauthorized", message, headers={"WWW-Authenticate": "Bearer"})


def say_who(who):
    words = {"signed_in": "whoever is logged in", "owner": "whom it belongs to", "anyone": "whoever brings a token"}
    return " or ".join(words.get(word, word) for word in who) or "nobody"
