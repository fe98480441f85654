"""The whole service over HTTP."""

import json
import math
import sys
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from service.access import refuse_unprotected
from service.account_routes import account_routes
from service.docs_page import landing_page
from service.errors import HttpError
from service.metrics import Metrics
from service.resource_routes import resource_routes
from service.router import Route, Router
from service.system_routes import system_routes

DEFAULT_BODY_LIMIT = 1024 * 1024

COMMON_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
}


class App:
    """Answers requests; it listens nowhere by itself."""

    def __init__(self, model, store, auth, body_limit=DEFAULT_BODY_LIMIT, report=None):
        self.metrics = Metrics()
        self.body_limit = body_limit
        self._model = model
        self._auth = auth
        self._report = report or (lambda text: print(text, file=sys.stderr))
        context = {"model": model, "store": store, "auth": auth, "metrics": self.metrics}
        routes = [*system_routes(context), *account_routes(context)]
        for resource in model["resources"]:
            routes += resource_routes(context, resource)
        routes.append(Route("GET", "/", lambda call: landing_page(model)))
        self._store = store
        self._router = Router(routes)

    def answer(self, method, target, headers, read_body):
        try:
            parts = urlsplit(f"http://service{target}")
            route, parameters = self._router.find(method, parts.path)
            actor = self._auth.actor_of(method, headers, self._store)
            if not route.is_always_open:
                refuse_unprotected(self._model["protects"], actor, route.method, route.path)
            body = _as_object(read_body()) if route.takes_body else None
            query = parse_qs(parts.query, keep_blank_values=True)
            call = {"parameters": parameters, "query": query, "body": body, "actor": actor, "headers": headers}
            return route.handle(call)
        except HttpError as error:
            return _refusal(error)
        except Exception:
            # The caller is told nothing of a fault but that there was one.
            self._report(traceback.format_exc())
            return _refusal(HttpError(500, "fault", "Something went wrong here."))


def _refusal(error):
    return {"status": error.status, "body": error.body, "headers": error.headers}


def _as_object(text):
    """The body as the JSON object that it must be; nothing at all counts as an empty one."""
    if text.strip() == b"":
        return {}
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError):
        raise HttpError(400, "bad_json", "The body is not valid JSON.") from None
    if not isinstance(value, dict):
        raise HttpError(422, "invalid", "The body must be a JSON object.")
    return value


def _no_number(text):
    """Python reads NaN and Infinity, and writes them: an answer with one of them is no JSON for anybody else."""
    raise ValueError(f"{text} is no number")


def _finite(text):
    value = float(text)
    return value if math.isfinite(value) else _no_number(text)


def _encoded(body):
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False) + "\n"


def create_server(app, host, port):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version = "service"
        sys_version = ""

        def _serve(self):
            started_at = time.perf_counter()
            self._is_read = False
            answer = app.answer(self.command, self.path, self.headers, self._read_body)
            if not self._is_read and self._length() > 0:
                self.close_connection = True
            status = answer.get("status", 200)
            app.metrics.count(self.command, status, time.perf_counter() - started_at)
            self._send(status, answer)

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _serve

        def _length(self):
            text = self.headers.get("Content-Length") or "0"
            return int(text) if text.isascii() and text.isdigit() else 0

        def _read_body(self):
            length = self._length()
            self._is_read = True
            if length > app.body_limit:
                # Read and thrown away, up to a point, so that the sender is still listening when it is told.
                self.rfile.read(min(length, app.body_limit * 16))
                self.close_connection = True
                raise HttpError(413, "too_large", f"A body may have {app.body_limit} bytes at most.")
            return self.rfile.read(length)

        def _send(self, status, answer):
            is_empty = status in (204, 304) or ("body" not in answer and "text" not in answer)
            text = "" if is_empty else answer["text"] if "text" in answer else _encoded(answer["body"])
            content = text.encode("utf-8", "replace")
            self.send_response(status)
            for name, value in {**COMMON_HEADERS, **answer.get("headers", {})}.items():
                self.send_header(name, value)
            if not is_empty:
                kind = "application/json; charset=utf-8" if "body" in answer else "text/plain; charset=utf-8"
                self.send_header("Content-Type", answer.get("type", kind))
            if status != 204:
                self.send_header("Content-Length", str(len(content)))
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        def log_message(self, *_):
            """Requests are counted, not printed."""

    server = ThreadingHTTPServer((host, port), Handler)
    server.daemon_threads = True
    return server
