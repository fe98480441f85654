import unittest

from testing.example_model import EXAMPLE_MODEL
from testing.running import ServiceTest


class RulesTest(ServiceTest):
    model = EXAMPLE_MODEL

    def setUp(self):
        super().setUp()
        self.check("POST", "/shelves", 201, {"name": "One"})
        self.check("POST", "/shelves/1/books", 201, {"title": "Emma", "isbn": "1"})
        self.place = "/shelves/1/books/1"

    def lend(self, start, end, status, book=1):
        return self.check("POST", "/loans", status, {"book_id": book, "from": start, "until": end})

    def test_what_must_be_unique_is_refused_the_second_time_and_the_field_is_named(self):
        answer = self.check("POST", "/shelves/1/books", 409, {"title": "Emma", "isbn": "1"})
        self.assertEqual(list(answer.json["error"]["fields"]), ["isbn"])
        self.check("PATCH", self.place, 200, {"isbn": "1"})

    def test_a_reference_must_lead_to_something(self):
        answer = self.lend("2030-05-04", "2030-05-05", 422, book=9)
        self.assertIn("must be the id of a book that exists", answer.json["error"]["fields"]["book_id"])

    def test_what_is_referred_to_is_kept_deleted_or_let_go_as_the_model_says(self):
        self.check("POST", "/shelves/1/books", 201, {"title": "Persuasion", "follows": 1})
        self.lend("2030-05-04", "2030-05-05", 201)
        refused = self.check("DELETE", self.place, 409)
        message = "still used by the loan 1: delete it first, or change book_id"
        self.assertIn(message, refused.json["error"]["message"])
        self.check("DELETE", "/loans/1", 204)
        self.check("DELETE", self.place, 204)
        self.assertIsNone(self.check("GET", "/shelves/1/books/2", 200).json["follows"])
        self.check("DELETE", "/shelves/1", 204)
        self.assertEqual(self.check("GET", "/export", 200).json["resources"]["book"], [])

    def test_a_rule_between_fields_holds_for_what_is_added_and_for_what_is_changed(self):
        answer = self.lend("2030-05-04", "2030-05-04", 422)
        self.assertEqual(answer.json["error"]["fields"], {"until": "must be after from"})
        self.lend("2030-05-04", "2030-05-06", 201)
        self.check("PATCH", "/loans/1", 422, {"from": "2030-05-07"})

    def test_spans_of_the_same_thing_do_not_overlap_but_may_touch(self):
        self.lend("2030-05-04", "2030-05-06", 201)
        self.lend("2030-05-05", "2030-05-07", 409)
        self.lend("2030-05-06", "2030-05-07", 201)
        self.lend("2030-05-06", "2030-05-08", 409)
        self.lend("2030-05-01", "2030-05-09", 409)

    def test_a_field_moves_only_as_it_may_and_some_are_required_only_then(self):
        self.check("PATCH", self.place, 422, {"state": "worn"})
        self.check("PATCH", self.place, 200, {"state": "worn", "pages": 10})
        self.assertEqual(self.check("POST", f"{self.place}/lose", 200).json["state"], "lost")
        self.check("PATCH", self.place, 409, {"state": "new"})
        self.check("POST", f"{self.place}/lose", 409)

    def test_there_are_no_more_records_than_may_be(self):
        for title in ("B", "C"):
            self.check("POST", "/shelves/1/books", 201, {"title": title})
        self.check("POST", "/shelves/1/books", 409, {"title": "D"})
        self.check("POST", "/shelves", 201, {"name": "Two"})
        self.check("POST", "/shelves/2/books", 201, {"title": "D"})

    def test_a_rule_over_what_a_record_leads_to_holds_from_that_side_as_well(self):
        self.lend("2030-05-04", "2030-05-05", 201)
        answer = self.check("POST", f"{self.place}/lose", 409)
        self.assertEqual(answer.json["error"]["message"], "The loan 1 would break a rule: is lost.")
        self.check("PATCH", self.place, 409, {"state": "lost"})
        self.check("PATCH", self.place, 200, {"title": "Emma, again"})
        self.check("PATCH", "/loans/1", 200, {"state": "back"})
        self.check("POST", f"{self.place}/lose", 200)
        self.lend("2030-06-04", "2030-06-05", 422)


if __name__ == "__main__":
    unittest.main()
