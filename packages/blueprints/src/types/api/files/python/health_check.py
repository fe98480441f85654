"""Ends with 0 when the service that runs here is well."""

import os
import sys
from urllib.error import URLError
from urllib.request import urlopen

host, port = os.environ.get("HOST", "127.0.0.1"), os.environ.get("PORT", "3000")
try:
    with urlopen(f"http://{host}:{port}/health", timeout=5) as response:
        sys.exit(0 if response.status == 200 else 1)
except URLError:
    sys.exit(1)
