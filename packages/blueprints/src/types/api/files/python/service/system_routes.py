"""What the service answers about itself."""

import functools

from service.access import may_see
from service.docs_page import docs_page
from service.expressions import now_text
from service.openapi import openapi_document
from service.records import shown
from service.router import Route


def system_routes(context):
    model = context["model"]
    system = model["system"]
    routes = [
        *(Route("GET", path, _well, is_always_open=True) for path in system["health"]),
        Route("GET", system["openapi"], _once(lambda: {"body": openapi_document(model)})),
        Route("GET", system["docs"], _once(lambda: docs_page(model))),
        Route("GET", system["metrics"], lambda call: _metrics(context)),
    ]
    if "export" in system:
        routes.append(Route("GET", system["export"], lambda call: _export(context, call["actor"])))
    return routes


def _once(make):
    """What is the same for every request is made for the first."""
    made = functools.cache(make)
    return lambda call: made()


def _well(_call):
    return {"body": {"status": "ok"}}


def _metrics(context):
    return {"text": context["metrics"].text, "type": "text/plain; version=0.0.4; charset=utf-8"}


def _export(context, actor):
    """Everything that is stored and that the caller may read, by resource."""
    resources = {
        resource["name"]: [
            shown(resource, record)
            for record in context["store"].collection(resource["name"]).all()
            if may_see(resource, actor, record)
        ]
        for resource in context["model"]["resources"]
    }
    return {"body": {"exported_at": now_text(), "resources": resources}}
