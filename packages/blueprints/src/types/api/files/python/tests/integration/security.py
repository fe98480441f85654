import os
import unittest

from testing.examples import EXAMPLE_MODEL
from testing.running import TOKEN, ServiceTest


class SecurityTest(ServiceTest):
    model = EXAMPLE_MODEL

    def test_what_is_protected_is_refused_without_a_token_in_whatever_way_it_is_asked_for(self):
        for method in ("GET", "HEAD"):
            for path in ("/export", "/export/", "//export", "/export?token=x", "/%65xport"):
                answer = self.call(method, path)
                self.assertEqual((answer.status, answer.headers["WWW-Authenticate"]), (401, "Bearer"), path)
        self.assertEqual(self.call("GET", "/export", token="wrong").status, 401)
        self.assertEqual(self.call("GET", "/export", token=TOKEN).status, 200)

    def test_a_login_gives_a_token_and_a_wrong_password_does_not(self):
        account = {"email": "noor@example.org", "password": "open sesame"}
        created = self.call("POST", "/members", account)
        self.assertEqual(created.status, 201)
        self.assertNotIn("password", created.text)
        self.assertEqual(self.call("POST", "/login", {**account, "password": "guess"}).status, 401)
        self.assertEqual(self.call("POST", "/login", {"email": account["email"]}).status, 422)
        token = self.call("POST", "/login", account).json["token"]
        self.assertEqual(self.call("GET", "/export", token=token).status, 200)
        for name in os.listdir(self.folder.name):
            with open(os.path.join(self.folder.name, name), "rb") as file:
                self.assertNotIn(b"open sesame", file.read())

    def test_a_path_cannot_lead_out_of_the_service_nor_a_body_set_an_id(self):
        for path in ("/..%2f..%2fetc%2fpasswd", "/shelves/..%2f..%2fdata", "/members/__class__"):
            self.assertIn(self.call("GET", path).status, (400, 404))
        body = {"email": "b@example.org", "password": "x", "id": 99}
        self.assertEqual(self.call("POST", "/members", body).json["id"], 8)

    def test_an_answer_is_never_taken_for_something_else_by_a_browser(self):
        headers = self.call("POST", "/shelves", {"name": "<script>"}).headers
        self.assertEqual(headers["Content-Type"], "application/json; charset=utf-8")
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")


class AllProtectedTest(ServiceTest):
    model = {**EXAMPLE_MODEL, "protects": ["*"]}

    def test_where_everything_asks_for_a_token_health_and_login_do_not(self):
        self.assertEqual(self.call("GET", "/health").status, 200)
        self.assertEqual(self.call("POST", "/login", {}).status, 422)
        for path in ("/shelves", "/openapi.json", "/metrics", "/teapot"):
            self.assertEqual(self.call("GET", path).status, 401)


if __name__ == "__main__":
    unittest.main()
