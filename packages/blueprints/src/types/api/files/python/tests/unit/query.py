import unittest
from urllib.parse import parse_qs

from service.errors import HttpError
from service.query import select

RESOURCE = {
    "fields": {"size": {"type": "enum", "values": ["small", "large", "huge"]}},
    "filters": ["size", "tags", "tame"],
    "search": ["name"],
    "sort": ["name", "size", "age"],
}
RECORDS = [
    {"id": 1, "name": "Red kite", "size": "huge", "tags": ["bird"], "age": 3, "tame": False},
    {"id": 2, "name": "ant", "size": "small", "tags": ["insect"], "age": None, "tame": True},
    {"id": 3, "name": "Blue tit", "size": "small", "tags": ["bird", "garden"], "age": 1},
]


def ids_of(text):
    return [record["id"] for record in select(RESOURCE, RECORDS, parse_qs(text, keep_blank_values=True))["items"]]


class QueryTest(unittest.TestCase):
    def test_a_filter_keeps_what_is_equal_to_it_or_to_one_of_several(self):
        self.assertEqual(ids_of("size=small"), [2, 3])
        self.assertEqual(ids_of("size=huge&tags=insect"), [])
        self.assertEqual(ids_of("size=huge,small&tags=bird"), [1, 3])
        self.assertEqual(ids_of("tame=true"), [2])
        self.assertEqual(ids_of("colour=red"), [1, 2, 3])

    def test_a_search_finds_all_its_words_whatever_their_case(self):
        self.assertEqual(ids_of("q=KITE"), [1])
        self.assertEqual(ids_of("search=blue tit"), [3])
        self.assertEqual(ids_of("q=blue kite"), [])

    def test_a_list_is_sorted_up_and_down_an_enum_as_it_is_declared(self):
        self.assertEqual(ids_of("sort=size"), [2, 3, 1])
        self.assertEqual(ids_of("sort=-size"), [1, 2, 3])
        self.assertEqual(ids_of("sort=name&order=desc"), [2, 1, 3])
        self.assertEqual(ids_of("sort=age"), [3, 1, 2])
        with self.assertRaisesRegex(HttpError, "must be one of name, size, age, not 'secret'"):
            ids_of("sort=secret")

    def test_moments_are_sorted_as_they_follow_each_other_wherever_they_were_written(self):
        times = ["2030-05-04T10:00:00+02:00", "2030-05-04T09:00:00Z", None, "2030-05-04T08:30:00Z"]
        timed = {**RESOURCE, "fields": {"at": {"type": "datetime"}}, "sort": ["at"], "filters": [], "search": []}
        records = [{"id": index + 1, "at": at} for index, at in enumerate(times)]
        for text, wanted in (("sort=at", [1, 4, 2, 3]), ("sort=-at", [2, 4, 1, 3])):
            self.assertEqual([record["id"] for record in select(timed, records, parse_qs(text))["items"]], wanted)

    def test_a_list_that_asks_for_no_order_has_that_of_its_resource(self):
        found = select({**RESOURCE, "sort": ["id"], "order": "-id", "page_size": 2}, RECORDS, {})["items"]
        self.assertEqual([record["id"] for record in found], [3, 2])

    def test_a_range_keeps_what_is_in_it_and_nothing_that_is_empty(self):
        dated = [{**record, "day": f"2030-05-0{record['id']}"} for record in RECORDS]
        ranged = {**RESOURCE, "filters": ["age", "day"]}

        def ids(text):
            return [record["id"] for record in select(ranged, dated, parse_qs(text))["items"]]

        self.assertEqual(ids("age_min=2"), [1])
        self.assertEqual(ids("age_min=1&age_max=2"), [3])
        self.assertEqual(ids("age_min=old"), [])
        self.assertEqual(ids("day_min=2030-05-02T00:00:00Z"), [2, 3])

    def test_a_list_comes_in_pages_with_how_many_there_are_in_all(self):
        page = select(RESOURCE, RECORDS, parse_qs("limit=2&offset=2"))
        self.assertEqual((len(page["items"]), page["total"], page["limit"], page["offset"]), (1, 3, 2, 2))
        self.assertEqual(ids_of("per_page=1&page=2"), [2])

    def test_a_page_that_nobody_can_turn_to_is_refused(self):
        for text in ("limit=0", "limit=many", "offset=-1", "page=1.5", "limit="):
            with self.assertRaises(HttpError):
                ids_of(text)


if __name__ == "__main__":
    unittest.main()
