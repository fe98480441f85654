import os
import tempfile
import time
import unittest

from service.access import covers
from service.auth import Auth
from service.errors import HttpError
from service.passwords import hash_password, is_password_of

USER = {"id": 3, "role": "admin"}
SETTINGS = {"accounts": {"resource": "user", "role_field": "role"}, "session_hours": 1, "token_variable": "API_TOKEN"}


class Accounts:
    """A store with one account."""

    def __init__(self, account=None):
        self._account = account or USER

    def collection(self, _name):
        return self

    def get(self, record_id):
        return self._account if record_id == self._account["id"] else None


def actor(auth, token, header="Authorization", store=None):
    return auth.actor_of("GET", {header: f"Bearer {token}"}, store or Accounts())


class AuthTest(unittest.TestCase):
    def test_the_right_token_is_the_service_and_everything_else_is_nobody(self):
        auth = Auth("right")
        self.assertEqual(actor(auth, "right"), {"is_service": True})
        for token in ("wrong", "", "a.b"):
            self.assertIsNone(actor(auth, token))
        self.assertIsNone(auth.actor_of("GET", {"Authorization": "Basic cmlnaHQ="}, Accounts()))

    def test_a_token_from_a_login_is_good_until_it_ends_and_only_as_it_was_signed(self):
        auth = Auth("right", {**SETTINGS, "header": "X-API-Key"})
        token, _ = auth.issue(USER)
        self.assertEqual(actor(auth, token, "X-API-Key"), {"account": USER, "role": "admin"})
        for wrong in (f"x{token}", auth.issue(USER, 0)[0], Auth("other", SETTINGS).issue(USER)[0]):
            self.assertIsNone(actor(auth, wrong, "X-API-Key"))
        ended = Accounts({**USER, "tokens_from": time.time() + 10})
        self.assertIsNone(actor(auth, token, "X-API-Key", ended))

    def test_a_cookie_counts_as_a_token_does_but_not_from_another_site(self):
        auth = Auth("right", SETTINGS)
        cookie = auth.cookie(auth.issue(USER)[0], {}).split(";")[0]
        headers = {"Cookie": f"a=b; {cookie}", "Host": "here"}
        self.assertEqual(auth.actor_of("POST", headers, Accounts())["role"], "admin")
        self.assertEqual(auth.actor_of("POST", {**headers, "Origin": "http://here"}, Accounts())["role"], "admin")
        with self.assertRaises(HttpError):
            auth.actor_of("POST", {**headers, "Origin": "http://there"}, Accounts())
        self.assertIn("Max-Age=3600; Secure", auth.cookie("x", {"X-Forwarded-Proto": "https"}))

    def test_without_a_token_in_the_environment_one_is_made_once_and_kept_from_others(self):
        with tempfile.TemporaryDirectory() as folder:
            said = []
            Auth.open(None, folder, SETTINGS, said.append)
            path = os.path.join(folder, "token")
            self.assertEqual(os.stat(path).st_mode & 0o077, 0)
            with open(path, encoding="utf-8") as file:
                token = file.read().strip()
            self.assertRegex(said[0], "API_TOKEN is not set")
            self.assertNotIn(token, said[0])
            self.assertEqual(actor(Auth.open("", folder, SETTINGS), token), {"is_service": True})

    def test_a_rule_covers_a_route_by_its_method_and_the_shape_of_its_path_and_what_is_below(self):
        for rule, method, path in (
            ("GET /a/{id}", "GET", "/a/{a_id}"),
            ("/b", "DELETE", "/b"),
            ("/b", "PATCH", "/b/{id}"),
            ("POST /c/*", "POST", "/c/d/e"),
            ("*", "GET", "/any"),
        ):
            self.assertTrue(covers(rule, method, path), rule)
        self.assertFalse(covers("GET /a/{id}", "PUT", "/a/{a_id}"))
        self.assertFalse(covers("/b", "GET", "/bees"))
        self.assertFalse(covers("POST /c/*", "GET", "/c/d/e"))

    def test_a_password_is_known_by_its_hash_which_never_is_the_same_twice(self):
        hashed = hash_password("open sesame")
        self.assertTrue(is_password_of(hashed, "open sesame"))
        self.assertFalse(is_password_of(hashed, "open barley"))
        self.assertNotEqual(hashed, hash_password("open sesame"))


if __name__ == "__main__":
    unittest.main()
