"""Who may do what is protected: whoever brings the service's token, or one that a login gave out."""

import base64
import hashlib
import hmac
import json
import os
import re
import secrets
import time

from service.errors import HttpError

TOKEN_HOURS = 12


class Auth:
    def __init__(self, service_token, header=None):
        self._service_token = service_token
        self._header = header or "Authorization"

    @classmethod
    def open(cls, token, folder, variable, header=None, say=print):
        """The token of the environment; without one a random token is made once and kept in the data folder."""
        if token:
            return cls(token, header)
        path = os.path.join(folder, "token")
        known = _token_in(path)
        if known is None:
            os.makedirs(folder, exist_ok=True)
            known = _make_token(path)
            say(f"{variable} is not set: a token was made and written to {path}.")
        return cls(known, header)

    def check(self, headers):
        """Refuses a request that brings no valid token."""
        given = re.sub(r"^Bearer\s+", "", headers.get(self._header) or "", flags=re.IGNORECASE)
        if given and (_is_same(given, self._service_token) or self._is_signed(given)):
            return
        message = "Unauthorized: a valid token is needed."
        raise HttpError(401, "unauthorized", message, headers={"WWW-Authenticate": "Bearer"})

    def issue(self, subject, now=None):
        """A token for someone who has logged in. Signed, so that it is still good after a restart."""
        ends_at = int(time.time() if now is None else now) + TOKEN_HOURS * 3600
        payload = base64.urlsafe_b64encode(json.dumps({"sub": subject, "exp": ends_at}).encode()).decode()
        return f"{payload}.{self._sign(payload)}"

    def _is_signed(self, token):
        payload, _, signature = token.partition(".")
        if not _is_same(signature, self._sign(payload)):
            return False
        return json.loads(base64.urlsafe_b64decode(payload))["exp"] > time.time()

    def _sign(self, payload):
        return hmac.new(self._service_token.encode(), payload.encode(), hashlib.sha256).hexdigest()


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


def is_protected(rules, method, path):
    """Whether a rule such as `GET /api/export`, `/api/users/{id}` or `POST /api/*` covers a route."""
    for rule in rules:
        verb, pattern = re.fullmatch(r"(?:([A-Z]+|\*)\s+)?(.*)", rule, re.DOTALL).groups()
        if verb not in (None, "*", method):
            continue
        if pattern.endswith("*") and path.startswith(pattern[:-1]):
            return True
        if _shape_of(pattern) == _shape_of(path):
            return True
    return False


def _shape_of(path):
    return re.sub(r"\{[^{}/]*\}|(?<=/):\w+", "{}", path)
