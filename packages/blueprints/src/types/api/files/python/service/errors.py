"""Refusals that the caller is told about, with their reasons."""

import re


class HttpError(Exception):
    def __init__(self, status, code, message, fields=None, headers=None):
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.fields = fields
        self.headers = headers or {}

    @property
    def body(self):
        error = {"code": self.code, "message": self.message}
        if self.fields is not None:
            error["fields"] = self.fields
        return {"error": error}


def not_found(message):
    return HttpError(404, "not_found", message)


def with_article(title):
    """What one record is called: `an invoice`, `a room`."""
    return f"{'an' if re.match('(?!u(?:ser|ni)|eu)[aeiou]', title, re.IGNORECASE) else 'a'} {title}"
