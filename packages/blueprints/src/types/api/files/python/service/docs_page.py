"""Pages for people: what the service is, and what it offers."""

import json
from html import escape

from service.access import say_who
from service.errors import with_article
from service.openapi import is_closed
from service.operations import operations_of

STYLE = """:root { color-scheme: light dark } body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem;
margin: 2rem auto; padding: 0 1rem } section { border-top: 1px solid; padding-bottom: 1rem } .table { overflow-x: auto }
table { border-collapse: collapse } th, td { text-align: start; padding: .2rem 1rem .2rem 0; vertical-align: top }"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def landing_page(model):
    """The first page: what this is, and where to read more."""
    system = model["system"]
    lists = [
        f"<li><code>{escape(one['path'])}</code> — {escape(one.get('description', 'each ' + one['title']))}</li>"
        for one in model["resources"]
    ]
    kept = "<h2>What it keeps</h2>\n<ul>\n" + "\n".join(lists) + "\n</ul>" if lists else ""
    content = f"""<p>{escape(model['description'])}</p>
<p>This is an API: programs use it. <a href="{escape(system['docs'])}">Read what it offers</a>, or give your tools its
<a href="{escape(system['openapi'])}">OpenAPI description</a>.</p>
{kept}"""
    return _page(model, model["title"], content)


def docs_page(model):
    """Every operation, for people."""
    groups = {}
    for operation in operations_of(model):
        groups.setdefault(operation.get("resource", {}).get("title", "service"), []).append(operation)
    chapters = [
        f"<h2>{escape(title)}</h2>\n" + "\n".join(_chapter(model, operation) for operation in operations)
        for title, operations in groups.items()
    ]
    content = f"<p>{escape(model['description'])}</p>\n" + "\n".join(chapters)
    return _page(model, f"{model['title']}: what it offers", content)


def _chapter(model, operation):
    words = f"<p>For {escape(say_who(operation['who']))}.</p>" if is_closed(model, operation) else ""
    names = ", ".join(f"<code>{escape(name)}</code>" for name in operation.get("query", []))
    asks = f"<p>The query may say {names}.</p>" if names else ""
    fields = operation.get("body", {}).get("fields", {})
    rows = [_row_of(name, field) for name, field in fields.items() if not field.get("is_owner")]
    table = _table(["field", "value", "says"], rows) if rows else ""
    return f"""<section>
<h3><code>{escape(operation['method'])} {escape(operation['path'])}</code></h3>
<p>{escape(operation['summary'])}.</p>
{words}{asks}{table}{_table(["status", "when"], operation["answers"].items())}
</section>"""


def _row_of(name, field):
    kind = field["type"]
    if "values" in field:
        kind = "one of " + ", ".join(str(value) for value in field["values"])
    elif "to" in field:
        kind = f"the id of {with_article(field['to'])}"
    says = [
        field.get("description", field.get("label")),
        "required" if field.get("required") else None,
        "unique" if field.get("unique") else None,
        f"otherwise {json.dumps(field['default'], ensure_ascii=False)}" if "default" in field else None,
    ]
    return [name, kind, "; ".join(text for text in says if text)]


def _table(heads, rows):
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "\n".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="table"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def _page(model, title, content):
    text = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{escape(title)}</h1>
{content}
</main>
<footer><p>Version {escape(model['version'])}</p></footer>
</body>
</html>
"""
    return {"text": text, "type": "text/html; charset=utf-8", "headers": {"Content-Security-Policy": POLICY}}
