import os
import unittest

from testing.example_model import EXAMPLE_MODEL
from testing.running import ServiceTest

PASSWORD = "open sesame"


class SecurityTest(ServiceTest):
    model = EXAMPLE_MODEL

    def signed_up(self, name):
        """Makes an account and logs it in; answers its id and its token."""
        account = {"email": f"{name}@example.org", "password": PASSWORD}
        made = self.check("POST", "/sign-up", 201, account, token=None)
        login = self.check("POST", "/login", 200, account, token=None)
        return made.json["id"], login.json["token"]

    def test_what_is_protected_is_refused_without_a_token_in_whatever_way_it_is_asked_for(self):
        for method in ("GET", "HEAD"):
            for path in ("/export", "/export/", "//export", "/export?token=x", "/%65xport"):
                answer = self.check(method, path, 401, token=None)
                self.assertEqual(answer.headers["WWW-Authenticate"], "Bearer")
        self.check("GET", "/export", 401, token="wrong")
        self.check("GET", "/export", 200)

    def test_a_login_gives_a_token_and_a_wrong_password_or_an_unknown_name_does_not(self):
        _, token = self.signed_up("noor")
        self.assertEqual(self.check("GET", "/me", 200, token=token).json["email"], "noor@example.org")
        for body in (
            {"email": "noor@example.org", "password": "guess"},
            {"email": "nobody@example.org", "password": PASSWORD},
        ):
            self.check("POST", "/login", 401, body, token=None)
        self.check("POST", "/login", 422, {}, token=None)
        # Capitals make no other address.
        for email in ("noor@example.org", "Noor@Example.org"):
            self.check("POST", "/sign-up", 409, {"email": email, "password": PASSWORD}, token=None)
        self.check("POST", "/login", 200, {"email": "NOOR@example.org", "password": PASSWORD}, token=None)

    def test_whoever_logs_out_or_changes_the_password_ends_every_token_of_the_account(self):
        _, noor = self.signed_up("noor")
        self.check("POST", "/logout", 204, token=noor)
        self.check("GET", "/me", 401, token=noor)
        number, omar = self.signed_up("omar")
        self.check("PATCH", f"/members/{number}", 200, {"password": "another one"}, token=omar)
        self.check("GET", "/me", 401, token=omar)

    def test_a_session_in_a_cookie_does_as_well_but_not_from_another_site(self):
        body = {"email": "noor@example.org", "password": PASSWORD}
        self.check("POST", "/sign-up", 201, body, token=None)
        login = self.check("POST", "/login", 200, body, token=None)
        cookie = login.headers["Set-Cookie"].split(";")[0]
        self.check("GET", "/me", 200, token=None, headers={"Cookie": cookie})
        foreign = {"Cookie": cookie, "Origin": "https://elsewhere.example"}
        self.check("POST", "/logout", 403, token=None, headers=foreign)

    def test_nobody_makes_themselves_admin_not_at_sign_up_and_not_afterwards(self):
        body = {"email": "eve@example.org", "password": PASSWORD, "role": "admin"}
        self.check("POST", "/sign-up", 422, body, token=None)
        self.check("POST", "/members", 401, body, token=None)
        number, eve = self.signed_up("eve")
        self.assertEqual(self.check("GET", "/me", 200, token=eve).json["role"], "reader")
        self.check("POST", "/members", 403, {**body, "email": "eve2@example.org"}, token=eve)
        for method in ("PATCH", "PUT"):
            self.check(method, f"/members/{number}", 403, body, token=eve)
        changed = self.check("PATCH", f"/members/{number}", 200, {"email": "eva@example.org"}, token=eve)
        self.assertEqual(changed.json["role"], "reader")
        self.check("GET", "/metrics", 403, token=eve)

    def test_a_role_opens_what_it_is_for_from_the_moment_that_it_is_given(self):
        number, noor = self.signed_up("noor")
        self.check("PATCH", f"/members/{number}", 200, {"role": "admin"})
        self.check("GET", "/metrics", 200, token=noor)
        made = {"email": "omar@example.org", "password": PASSWORD, "role": "admin"}
        self.assertEqual(self.check("POST", "/members", 201, made, token=noor).json["role"], "admin")

    def test_everyone_finds_changes_and_deletes_only_what_is_theirs(self):
        self.check("POST", "/shelves", 201, {"name": "One"})
        self.check("POST", "/shelves/1/books", 201, {"title": "Emma"})
        loan = {"book_id": 1, "from": "2030-05-04", "until": "2030-05-05"}
        self.check("POST", "/loans", 401, loan, token=None)
        (noor_id, noor), (omar_id, omar) = self.signed_up("noor"), self.signed_up("omar")
        own = self.check("POST", "/loans", 201, {**loan, "lent_to": omar_id}, token=noor).json
        self.assertEqual(own["lent_to"], noor_id)
        self.assertEqual(self.check("GET", "/loans", 200, token=noor).json["total"], 1)
        self.assertEqual(self.check("GET", "/loans", 200, token=omar).json["total"], 0)
        self.check("GET", "/loans/1", 404, token=omar)
        self.check("PATCH", "/loans/1", 404, {"until": "2030-05-09"}, token=omar)
        self.check("PATCH", "/loans/1", 200, {"until": "2030-05-09"}, token=noor)
        self.check("DELETE", "/loans/1", 403, token=noor)
        self.check("GET", f"/members/{noor_id}", 404, token=omar)
        self.assertEqual(self.check("GET", "/export", 200, token=omar).json["resources"]["loan"], [])

    def test_a_password_is_neither_shown_nor_stored(self):
        body = {"email": "a@example.org", "password": PASSWORD}
        self.assertNotIn("password", self.check("POST", "/sign-up", 201, body, token=None).text)
        for path in ("/members", "/export"):
            self.assertNotIn("password", self.check("GET", path, 200).text)
        for name in os.listdir(self.folder.name):
            with open(os.path.join(self.folder.name, name), "rb") as file:
                self.assertNotIn(PASSWORD.encode(), file.read())

    def test_an_answer_is_never_taken_for_something_else_by_a_browser(self):
        answer = self.check("POST", "/shelves", 201, {"name": "<script>"})
        self.assertEqual(answer.headers["Content-Type"], "application/json; charset=utf-8")
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")

    def test_what_an_action_sets_is_not_chosen_in_another_way_by_whoever_may_not_do_it(self):
        _, noor = self.signed_up("noor")
        self.check("POST", "/shelves", 201, {"name": "One"})
        self.check("POST", "/shelves/1/books", 201, {"title": "Emma"})
        loan = {"book_id": 1, "from": "2030-05-04", "until": "2030-05-05"}
        self.check("POST", "/loans", 403, {**loan, "state": "granted"}, token=noor)
        self.check("POST", "/loans", 201, {**loan, "state": "asked"}, token=noor)
        self.check("PATCH", "/loans/1", 403, {"state": "back"}, token=noor)
        self.check("PUT", "/loans/1", 403, {**loan, "state": "granted"}, token=noor)
        self.check("POST", "/loans/1/grant", 403, token=noor)
        self.check("POST", "/loans/1/grant", 200)
        self.assertEqual(self.check("PUT", "/loans/1", 200, loan, token=noor).json["state"], "granted")
        self.check("PATCH", "/loans/1", 200, {"state": "back"})
        self.check("PATCH", "/loans/1", 409, {"state": "granted"})


class NastyTextsTest(ServiceTest):
    model = {**EXAMPLE_MODEL, "description": "<script>alert(1)</script>", "protects": [{"rule": "*"}]}

    def test_a_page_shows_texts_as_they_are(self):
        for path in ("/", "/docs"):
            self.assertNotIn("<script>", self.check("GET", path, 200).text)

    def test_where_everything_asks_for_a_token_health_sign_up_and_login_do_not(self):
        self.check("GET", "/health", 200, token=None)
        for path in ("/login", "/sign-up"):
            self.check("POST", path, 422, {}, token=None)
        for path in ("/", "/shelves", "/openapi.json", "/docs", "/me"):
            self.check("GET", path, 401, token=None)


if __name__ == "__main__":
    unittest.main()
