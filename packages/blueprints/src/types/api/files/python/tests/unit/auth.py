import os
import tempfile
import unittest

from service.auth import Auth, is_protected
from service.errors import HttpError
from service.passwords import hash_password, is_password_of


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


class AuthTest(unittest.TestCase):
    def test_the_right_token_is_let_in_and_everything_else_is_refused(self):
        auth = Auth("right")
        auth.check(bearer("right"))
        for headers in ({}, bearer("wrong"), bearer(""), bearer("a.b"), {"Authorization": "Basic cmlnaHQ="}):
            with self.assertRaises(HttpError):
                auth.check(headers)

    def test_a_token_from_a_login_is_good_until_it_ends_and_only_as_it_was_signed(self):
        auth = Auth("right", "X-API-Key")
        token = auth.issue("noor")
        auth.check({"X-API-Key": token})
        for wrong in (f"x{token}", auth.issue("noor", 0), Auth("other").issue("noor")):
            with self.assertRaises(HttpError):
                auth.check({"X-API-Key": wrong})

    def test_without_a_token_in_the_environment_one_is_made_once_and_kept_from_others(self):
        with tempfile.TemporaryDirectory() as folder:
            said = []
            Auth.open(None, folder, "API_TOKEN", say=said.append)
            path = os.path.join(folder, "token")
            self.assertEqual(os.stat(path).st_mode & 0o077, 0)
            with open(path, encoding="utf-8") as file:
                token = file.read().strip()
            self.assertRegex(said[0], "API_TOKEN is not set")
            self.assertNotIn(token, said[0])
            Auth.open("", folder, "API_TOKEN").check(bearer(token))

    def test_a_rule_covers_a_route_by_its_method_and_the_shape_of_its_path(self):
        rules = ["GET /a/{id}", "/b", "POST /c/*"]
        self.assertTrue(is_protected(rules, "GET", "/a/{a_id}"))
        self.assertFalse(is_protected(rules, "PUT", "/a/{a_id}"))
        self.assertTrue(is_protected(rules, "DELETE", "/b"))
        self.assertTrue(is_protected(rules, "POST", "/c/d/e"))
        self.assertFalse(is_protected(rules, "GET", "/c/d/e"))

    def test_a_password_is_known_by_its_hash_which_never_is_the_same_twice(self):
        hashed = hash_password("open sesame")
        self.assertTrue(is_password_of(hashed, "open sesame"))
        self.assertFalse(is_password_of(hashed, "open barley"))
        self.assertNotEqual(hashed, hash_password("open sesame"))


if __name__ == "__main__":
    unittest.main()
