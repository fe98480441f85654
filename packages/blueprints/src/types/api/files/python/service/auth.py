"""Finds out who sends a request: by the service's token, or by one that a login gave out."""

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import time
from datetime import datetime, timezone
from urllib.parse import urlsplit

from service.errors import HttpError

COOKIE_NAME = "session"


class Auth:
    def __init__(self, service_token, settings=None):
        settings = settings or {}
        self._service_token = service_token
        self._header = settings.get("header", "Authorization")
        self._accounts = settings.get("accounts")
        self._hours = settings.get("session_hours", 12)

    @classmethod
    def open(cls, token, folder, settings, say=print):
        """The token of the environment; without one a random token is made once and kept in the data folder."""
        if token:
            return cls(token, settings)
        path = os.path.join(folder, "token")
        known = _token_in(path)
        if known is None:
            os.makedirs(folder, exist_ok=True)
            known = _make_token(path)
            say(f"{settings['token_variable']} is not set: a token was made and written to {path}.")
        return cls(known, settings)

    def actor_of(self, method, headers, store):
        """The actor of a request; None for anyone. What a browser sends by itself counts only from this site."""
        given = re.sub(r"^Bearer\s+", "", headers.get(self._header) or "", flags=re.IGNORECASE)
        if given and _is_same(given, self._service_token):
            return {"is_service": True}
        by_token = self._account_of(given, store)
        if by_token is not None:
            return by_token
        by_cookie = self._account_of(_cookie_in(headers.get("Cookie") or ""), store)
        if by_cookie is not None and method not in ("GET", "HEAD", "OPTIONS"):
            _refuse_other_sites(headers)
        return by_cookie

    def issue(self, account, now=None):
        """A token for an account, and when it ends. Signed, so that it is still good after a restart."""
        at = time.time() if now is None else now
        until = at + self._hours * 3600
        claims = {"sub": account["id"], "iat": at, "exp": until}
        payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode()
        ends_at = datetime.fromtimestamp(until, timezone.utc).isoformat(timespec="milliseconds")
        return f"{payload}.{self._sign(payload)}", ends_at.replace("+00:00", "Z")

    def cookie(self, token, headers):
        """The cookie that carries a token; without one, the cookie that ends it."""
        life = "Max-Age=0" if token is None else f"Max-Age={self._hours * 3600}"
        secure = "; Secure" if headers.get("X-Forwarded-Proto") == "https" else ""
        return f"{COOKIE_NAME}={token or ''}; Path=/; HttpOnly; SameSite=Lax; {life}{secure}"

    def _account_of(self, token, store):
        claims = self._claims_of(token) if self._accounts and token else None
        if claims is None:
            return None
        account = store.collection(self._accounts["resource"]).get(claims["sub"])
        # Logging out, and a new password, end what was given out before.
        if account is None or claims["iat"] < (account.get("tokens_from") or 0):
            return None
        return {"account": account, "role": account.get(self._accounts.get("role_field"))}

    def _claims_of(self, token):
        payload, _, signature = token.partition(".")
        if not _is_same(signature, self._sign(payload)):
            return None
        claims = json.loads(base64.urlsafe_b64decode(payload))
        return claims if claims["exp"] > time.time() else None

    def _sign(self, payload):
        return hmac.new(self._service_token.encode(), payload.encode(), hashlib.sha256).hexdigest()


def _cookie_in(header):
    pairs = (pair.strip() for pair in header.split(";"))
    return next((pair[len(COOKIE_NAME) + 1 :] for pair in pairs if pair.startswith(f"{COOKIE_NAME}=")), "")


def _refuse_other_sites(headers):
    origin = headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != headers.get("Host"):
        raise HttpError(403, "forbidden", "This was sent from another site.")


def _token_in(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except FileNotFoundError:
        return None


def _make_token(path):
    """Of two processes that start together, the first makes the token: a link is made whole, or not at all."""
    draft = f"{path}.{os.getpid()}"
    # Who may write into the folder may be the next version of the service, as another user.
    mode = 0o660 if os.stat(os.path.dirname(path)).st_mode & 0o020 else 0o600
    with open(draft, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(f"{secrets.token_urlsafe(24)}\n")
    os.chmod(draft, mode)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    os.unlink(draft)
    return _token_in(path)


def _is_same(a, b):
    """Compared in the same time wherever they differ."""
    return hmac.compare_digest(a.encode(), b.encode())
