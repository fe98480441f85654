"""Counts requests, for a scraper of the Prometheus format."""

import threading
import time

STARTED_AT = time.monotonic()


class Metrics:
    def __init__(self):
        self._counts = {}
        self._seconds = 0.0
        self._lock = threading.Lock()

    def count(self, method, status, seconds):
        with self._lock:
            key = (method, status)
            self._counts[key] = self._counts.get(key, 0) + 1
            self._seconds += seconds

    @property
    def text(self):
        with self._lock:
            counts, seconds = dict(self._counts), self._seconds
        lines = [
            "# HELP http_requests_total Requests that were answered.",
            "# TYPE http_requests_total counter",
            *(
                f'http_requests_total{{method="{method}",status="{status}"}} {count}'
                for (method, status), count in counts.items()
            ),
            "# HELP http_request_duration_seconds How long the answers took.",
            "# TYPE http_request_duration_seconds summary",
            f"http_request_duration_seconds_sum {seconds:.6f}",
            f"http_request_duration_seconds_count {sum(counts.values())}",
            "# HELP process_uptime_seconds How long the service has been running.",
            "# TYPE process_uptime_seconds gauge",
            f"process_uptime_seconds {time.monotonic() - STARTED_AT:.3f}",
        ]
        return "\n".join(lines) + "\n"
