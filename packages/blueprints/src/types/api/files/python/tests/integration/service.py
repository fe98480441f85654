import unittest

from testing.example_model import EXAMPLE_MODEL, MEMBER, SHELF
from testing.running import TOKEN, ServiceTest


class RecordsTest(ServiceTest):
    model = EXAMPLE_MODEL
    environment = {"MAX_BODY_BYTES": "1000"}

    def test_a_record_is_created_read_changed_replaced_and_deleted(self):
        created = self.call("POST", "/shelves", {"name": "Poetry"})
        self.assertEqual(created.status, 201)
        place = created.headers["Location"]
        self.assertEqual(self.call("GET", place).json["name"], "Poetry")
        self.assertEqual(self.call("PATCH", place, {"name": "Verse"}).json["name"], "Verse")
        self.assertEqual(self.call("PUT", place, {"name": "Prose"}).json["created_at"], created.json["created_at"])
        self.assertEqual(self.call("PUT", place, {}).status, 422)
        self.assertEqual(self.call("DELETE", place, token=TOKEN).status, 204)
        self.assertEqual(self.call("GET", place).status, 404)

    def test_what_belongs_to_a_record_is_found_under_it_only_and_goes_with_it(self):
        for name in ("One", "Two"):
            self.call("POST", "/shelves", {"name": name})
        book = self.call("POST", "/shelves/1/books", {"title": "Emma"}).json
        self.assertEqual(book["shelf_id"], 1)
        self.assertEqual(self.call("GET", f"/shelves/1/books/{book['id']}").status, 200)
        self.assertEqual(self.call("GET", f"/shelves/2/books/{book['id']}").status, 404)
        self.assertEqual(self.call("GET", "/shelves/2/books").json["total"], 0)
        self.assertEqual(self.call("POST", "/shelves/99/books", {"title": "Lost"}).status, 404)
        self.call("DELETE", "/shelves/1", token=TOKEN)
        self.assertEqual(self.call("GET", "/export", token=TOKEN).json["resources"]["book"], [])

    def test_every_problem_of_a_body_is_named_at_once(self):
        self.call("POST", "/shelves", {"name": "One"})
        answer = self.call("POST", "/shelves/1/books", {"pages": 0, "state": "burnt", "colour": "red"})
        self.assertEqual(answer.status, 422)
        self.assertEqual(sorted(answer.json["error"]["fields"]), ["colour", "pages", "state", "title"])

    def test_a_list_is_filtered_and_sorted(self):
        self.call("POST", "/shelves", {"name": "One"})
        for title, state in (("A", "worn"), ("B", "new"), ("C", "worn")):
            self.call("POST", "/shelves/1/books", {"title": title, "state": state, "isbn": title, "pages": 10})
        page = self.call("GET", "/shelves/1/books?state=worn&sort=-title&limit=1").json
        self.assertEqual((page["total"], page["items"][0]["title"]), (2, "C"))
        self.assertEqual(self.call("GET", "/shelves/1/books?limit=none").status, 400)
        self.assertEqual(self.call("GET", "/shelves/1/books?pages_min=11").json["total"], 0)

    def test_what_there_is_one_of_is_read_replaced_and_changed_where_it_stands(self):
        self.assertEqual(self.call("GET", "/settings").json, {"id": 1, "size": 12})
        self.assertEqual(self.call("PUT", "/settings", {}).status, 422)
        self.call("PUT", "/settings", {"theme": "dark", "size": 2})
        self.call("PATCH", "/settings", {"size": 3})
        settings = self.call("GET", "/settings").json
        self.assertEqual((settings["theme"], settings["size"]), ("dark", 3))

    def test_everything_is_there_after_a_restart(self):
        self.call("POST", "/shelves", {"name": "Kept"})
        self.service = self.start()
        self.assertEqual(self.call("GET", "/shelves/1").json["name"], "Kept")
        self.assertEqual(self.call("GET", "/members/7", token=TOKEN).json["email"], "first@example.org")

    def test_what_cannot_be_understood_is_refused_with_the_status_that_says_why(self):
        self.assertEqual(self.call("POST", "/shelves", raw="{").status, 400)
        self.assertEqual(self.call("POST", "/shelves", raw="[]").status, 422)
        self.assertEqual(self.call("POST", "/shelves", raw="x" * 2000).status, 413)
        self.assertEqual(self.call("GET", "/shelves/one").status, 404)
        self.assertEqual(self.call("GET", "/nowhere").status, 404)
        refused = self.call("DELETE", "/shelves")
        self.assertEqual((refused.status, refused.headers["Allow"]), (405, "GET, HEAD, OPTIONS, POST"))

    def test_health_metrics_and_description_are_served_the_description_also_as_a_page(self):
        self.assertEqual(self.call("GET", "/health").json, {"status": "ok"})
        self.assertEqual(self.call("HEAD", "/health").text, "")
        self.assertEqual(self.call("OPTIONS", "/health").headers["Allow"], "GET, HEAD, OPTIONS")
        document = self.call("GET", "/openapi.json").json
        self.assertEqual(list(document["paths"]["/shelves/{shelf_id}/books/{id}"]), ["get", "put", "patch", "delete"])
        self.assertEqual(document["components"]["schemas"]["book"]["required"], ["title"])
        self.assertEqual(document["paths"]["/loans"]["post"]["security"], [{"token": []}])
        counted = self.call("GET", "/metrics", token=TOKEN).text
        self.assertIn('http_requests_total{method="GET",status="200"} 2', counted)
        page = self.call("GET", "/docs")
        self.assertEqual(page.headers["Content-Type"], "text/html; charset=utf-8")
        for path in document["paths"]:
            self.assertIn(path, page.text)
        self.assertRegex(self.call("GET", "/").text, '<h1>Library</h1>[^~]*href="/docs"')


class FaultTest(ServiceTest):
    model = {**EXAMPLE_MODEL, "resources": [{**SHELF, "filters": None}, MEMBER]}

    def test_a_fault_is_reported_here_and_the_caller_is_told_nothing_of_it(self):
        self.call("POST", "/shelves", {"name": "One"})
        answer = self.call("GET", "/shelves")
        self.assertEqual(answer.status, 500)
        self.assertNotIn("NoneType", answer.text)
        self.assertIn("NoneType", self.said[0])


if __name__ == "__main__":
    unittest.main()
