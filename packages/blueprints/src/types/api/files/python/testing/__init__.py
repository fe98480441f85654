"""What tests start and call the service with."""

import os

# A hash is slow on purpose; tests that log in would wait for nothing else.
os.environ.setdefault("PASSWORD_COST", "16")
