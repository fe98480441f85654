"""Runs the service until it is told to stop."""

import os
import signal
import threading

from service.start import Service

is_over = threading.Event()
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *_: is_over.set())

running = Service(os.environ)
print(f"{running.title} listens on {running.url}", flush=True)
is_over.wait()
running.stop()
