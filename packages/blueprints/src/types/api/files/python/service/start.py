"""Starts the service as the environment says."""

import sys
import threading

from service.app import DEFAULT_BODY_LIMIT, App, create_server
from service.auth import Auth
from service.model import load_model
from service.store import Store


class Service:
    def __init__(self, environment, model=None, say=None):
        say = say or (lambda text: print(text, file=sys.stderr))
        model = model or load_model()
        # Slipway gives each application a folder that outlives its versions.
        folder = environment.get("SLIPWAY_DATA_DIR") or environment.get("DATA_DIR") or "data"
        settings = model["auth"]
        auth = Auth.open(environment.get(settings["token_variable"]), folder, settings, say)
        self._store = Store(folder, model["resources"])
        app = App(model, self._store, auth, int(environment.get("MAX_BODY_BYTES", DEFAULT_BODY_LIMIT)), say)
        host = environment.get("HOST", "127.0.0.1")
        self._server = create_server(app, host, int(environment.get("PORT", "3000")))
        self.title = model["title"]
        self.url = f"http://{host}:{self._server.server_address[1]}"
        serve = self._server.serve_forever
        # A daemon: whatever ends the main thread ends the service.
        self._thread = threading.Thread(target=serve, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def stop(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._store.close()
