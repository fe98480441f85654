"""Signing up, logging in and out, and who one is."""

import time

from service.errors import HttpError
from service.passwords import hash_password, is_password_of
from service.records import Records, shown
from service.rules import is_same_in
from service.router import Route

NOBODYS_HASH = hash_password("nobody")


def account_routes(context):
    accounts = context["model"]["auth"].get("accounts")
    if accounts is None:
        return []
    found = next(one for one in context["model"]["resources"] if one["name"] == accounts["resource"])
    desk = AccountDesk(context, accounts, found)
    routes = [
        Route("POST", accounts["login"], desk.log_in, takes_body=True, is_always_open=True),
        Route("POST", accounts["logout"], desk.log_out),
        Route("GET", accounts["me"], desk.read),
    ]
    if "sign_up" in accounts:
        routes.append(Route("POST", accounts["sign_up"], desk.sign_up, takes_body=True, is_always_open=True))
    return routes


class AccountDesk:
    def __init__(self, context, accounts, resource):
        self._context = context
        self._accounts = accounts
        self._resource = resource
        self._records = context["store"].collection(resource["name"])

    def sign_up(self, call):
        """A new account has the role that the model gives it: nobody chooses their own."""
        field = self._accounts.get("role_field")
        if field is not None and field in call["body"]:
            problem = "cannot be chosen here: leave it out"
            raise HttpError(422, "invalid", f"{field} {problem}.", fields={field: problem})
        record = Records(self._context, self._resource).create({"parameters": {}, "body": call["body"], "actor": None})
        return {"status": 201, "body": shown(self._resource, record)}

    def log_in(self, call):
        """Gives a token to whoever names an account and its password."""
        body, names = call["body"], (self._accounts["name_field"], self._accounts["password_field"])
        missing = [name for name in names if not isinstance(body.get(name), str)]
        if missing:
            fields = {name: "is required" for name in missing}
            raise HttpError(422, "invalid", f"{' and '.join(missing)} must be given as text.", fields=fields)
        name, secret = names
        account = self._named(lambda known: known == body[name])
        if account is None:
            account = self._named(lambda known: is_same_in(self._resource["fields"].get(name), known, body[name]))
        # Someone who has no account waits as long: how long it takes does not tell who has one.
        hashed = (account or {}).get(secret) or NOBODYS_HASH
        if not is_password_of(hashed, body[secret]) or account is None:
            message = "Unauthorized: there is no such account, or the password is wrong."
            raise HttpError(401, "unauthorized", message)
        auth = self._context["auth"]
        token, expires_at = auth.issue(account)
        answer = {"token": token, "access_token": token, "token_type": "Bearer", "expires_at": expires_at}
        is_session = self._context["model"]["auth"]["scheme"] == "session"
        headers = {"Set-Cookie": auth.cookie(token, call["headers"])} if is_session else {}
        seen = shown(self._resource, account)
        return {"status": 200, "body": {**answer, self._resource["name"]: seen}, "headers": headers}

    def _named(self, fits):
        name = self._accounts["name_field"]
        return next((one for one in self._records.all() if fits(one.get(name))), None)

    def log_out(self, call):
        """Every token that the account was given ends."""
        account = _account_of(call["actor"])
        with self._context["store"].change():
            current = self._records.get(account["id"])
            self._records.replace({**current, "tokens_from": time.time() + 0.001})
        return {"status": 204, "headers": {"Set-Cookie": self._context["auth"].cookie(None, call["headers"])}}

    def read(self, call):
        return {"body": shown(self._resource, _account_of(call["actor"]))}


def _account_of(actor):
    if actor is not None and "account" in actor:
        return actor["account"]
    message = "Unauthorized: log in, and send the token that you get."
    raise HttpError(401, "unauthorized", message, headers={"WWW-Authenticate": "Bearer"})
