"""The routes of a resource: its collection, its records, and what can be done to them."""

import re
from urllib.parse import quote

from service.access import refuse_unless
from service.errors import with_article
from service.records import Records, shown
from service.router import Route


def resource_routes(context, resource):
    desk = ResourceDesk(Records(context, resource), resource)
    path, item = resource["path"], f"{resource['path']}/{{id}}"
    if resource.get("is_single"):
        routes = [
            Route("GET", path, desk.read_single),
            Route("PUT", path, lambda call: desk.one(desk.records.save_single(call, False)), takes_body=True),
            Route("PATCH", path, lambda call: desk.one(desk.records.save_single(call, True)), takes_body=True),
        ]
    else:
        routes = [
            Route("GET", path, desk.list),
            Route("POST", path, desk.create, takes_body=True),
            Route("GET", item, lambda call: desk.one(desk.records.find(call))),
            Route("PUT", item, lambda call: desk.one(desk.records.change(call, False)), takes_body=True),
            Route("PATCH", item, lambda call: desk.one(desk.records.change(call, True)), takes_body=True),
            Route("DELETE", item, desk.remove),
        ]
    methods = resource.get("methods")
    answered = [route for route in routes if methods is None or route.method in methods]
    actions = [Route("POST", f"{item}/{name}", desk.action(name), takes_body=True) for name in resource["actions"]]
    return [*answered, *actions]


class ResourceDesk:
    def __init__(self, records, resource):
        self.records = records
        self._resource = resource

    def one(self, record):
        return {"body": shown(self._resource, record)}

    def list(self, call):
        page = self.records.list(call)
        items = [shown(self._resource, record) for record in page.pop("items")]
        return {"body": {self._resource["list_key"]: items, **page}}

    def create(self, call):
        resource = self._resource
        refuse_unless(resource["access"]["create"], call["actor"], resource, f"add {with_article(resource['title'])}")
        record = self.records.create(call)
        place = f"{_filled(resource['path'], call['parameters'])}/{record['id']}"
        return {"status": 201, **self.one(record), "headers": {"Location": place}}

    def remove(self, call):
        self.records.remove(call)
        return {"status": 204}

    def action(self, name):
        return lambda call: self.one(self.records.act(call, name))

    def read_single(self, call):
        resource = self._resource
        refuse_unless(resource["access"]["read"], call["actor"], resource, f"read the {resource['title']}")
        return self.one(self.records.single())


def _filled(path, parameters):
    return re.sub(r"\{(\w+)\}", lambda match: quote(parameters[match[1]], safe=""), path)
