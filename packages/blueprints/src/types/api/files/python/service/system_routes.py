"""What the service answers besides its resources: how it is, what it offers, what it counted."""

from datetime import datetime, timezone

from service.errors import HttpError
from service.openapi import openapi_document
from service.passwords import is_password_of
from service.resource_routes import shown
from service.router import Route


def system_routes(context):
    model = context["model"]
    system = model["system"]
    return [
        *(
            Route("GET", health["path"], _always({"body": health["answer"]}), is_always_open=True)
            for health in system["health"]
        ),
        *(Route("GET", path, lambda call: {"body": openapi_document(model)}) for path in system["openapi"]),
        *(Route("GET", path, lambda call: _metrics(context)) for path in system["metrics"]),
        *(Route("GET", path, lambda call: _export(context)) for path in system["exports"]),
        *(
            Route("POST", login["path"], _login(context, login), takes_body=True, is_always_open=True)
            for login in system["logins"]
        ),
    ]


def fixed_routes(context):
    """Routes that the description asks for by their answer alone."""
    return [Route(route["method"], route["path"], _always(route)) for route in context["model"]["routes"]]


def _always(answer):
    return lambda call: answer


def _metrics(context):
    return {"text": context["metrics"].text, "type": "text/plain; version=0.0.4; charset=utf-8"}


def _export(context):
    """Everything that is stored, by resource."""
    resources = {
        resource["name"]: [shown(resource, record) for record in context["store"].collection(resource["name"]).all()]
        for resource in context["model"]["resources"]
    }
    return {"body": {"exported_at": datetime.now(timezone.utc).isoformat(), "resources": resources}}


def _login(context, login):
    """Gives a token to whoever names an account and its password."""

    def log_in(call):
        user, password = call["body"].get(login["user_field"]), call["body"].get(login["password_field"])
        if not isinstance(user, str) or not isinstance(password, str):
            message = f"{login['user_field']} and {login['password_field']} are required."
            raise HttpError(context["model"]["system"]["bad_login_status"], "invalid", message)
        if not any(is_password_of(hashed, password) for hashed in _passwords_of(context, login, user)):
            message = "Unauthorized: there is no such account, or the password is wrong."
            raise HttpError(401, "unauthorized", message)
        token = context["auth"].issue(user)
        return {"status": login["status"], "body": {"token": token, "access_token": token, "token_type": "Bearer"}}

    return log_in


def _passwords_of(context, login, user):
    """The password hashes of the accounts by a name: those that were registered, and those that the model brings."""
    name, secret = login["user_field"], login["password_field"]
    for resource in context["model"]["resources"]:
        if resource["fields"].get(secret, {}).get("type") != "password":
            continue
        for record in context["store"].collection(resource["name"]).all():
            if record.get(name) == user and isinstance(record.get(secret), str):
                yield record[secret]
    for account in context["model"]["system"]["accounts"]:
        if account["user"] == user:
            yield account["hash"]
