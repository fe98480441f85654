"""A service that runs for the time of a test."""

import json
import tempfile
import unittest
from http.client import HTTPConnection
from urllib.parse import quote, urlsplit

from service.model import load_model
from service.start import Service

TOKEN = "a token for tests"
OWN_MODEL = load_model()


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.text = response.read().decode()
        is_json = (response.getheader("Content-Type") or "").startswith("application/json")
        self.json = json.loads(self.text) if is_json and self.text else None


class ServiceTest(unittest.TestCase):
    """Starts the service on a free port; `call` makes requests to it."""

    model = OWN_MODEL
    environment = {}

    def setUp(self):
        self.said = []
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.service = self.start()

    def start(self):
        variable = self.model["auth"]["token_variable"]
        environment = {"PORT": "0", "DATA_DIR": self.folder.name, variable: TOKEN, **self.environment}
        service = Service(environment, self.model, self.said.append)
        self.addCleanup(service.stop)
        return service

    def call(self, method, path, body=None, raw=None, headers=None, token=None):
        content = raw if raw is not None else None if body is None else json.dumps(body)
        header = self.model["auth"].get("header", "Authorization")
        all_headers = {"Connection": "close", **({header: f"Bearer {token}"} if token else {}), **(headers or {})}
        connection = HTTPConnection(urlsplit(self.service.url).netloc, timeout=10)
        try:
            connection.request(method, quote(path, safe="/%?&=:;,+~@!$'()*[]{}"), content, all_headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def check(self, method, path, status, body=None, **options):
        """Makes a request with the service's token and checks its status."""
        answer = self.call(method, path, body, **{"token": TOKEN, **options})
        self.assertEqual(answer.status, status, f"{method} {path}: {answer.text}")
        return answer

    def fresh(self):
        """The service again, with nothing in it."""
        self.doCleanups()
        self.setUp()
