"""Finds the route of a request. Where several fit, the one with more words that are written out wins."""

from urllib.parse import unquote

from service.errors import HttpError, not_found


class Route:
    def __init__(self, method, path, handle, takes_body=False, is_always_open=False):
        self.method = method
        self.path = path
        self.handle = handle
        self.takes_body = takes_body
        self.is_always_open = is_always_open


class Router:
    def __init__(self, routes):
        self._by_path = {}
        for route in routes:
            # The first that was named for a method and a path stays.
            self._by_path.setdefault(route.path, {}).setdefault(route.method, route)
        self._segments = {path: _segments_of(path) for path in self._by_path}

    def find(self, method, path):
        given = [unquote(segment) for segment in _segments_of(path)]
        fitting = [known for known, pattern in self._segments.items() if _fits(pattern, given)]
        fitting.sort(key=lambda known: sum(map(_is_parameter, self._segments[known])))
        if not fitting:
            raise not_found(f"The path {path} was not found.")
        wanted = "GET" if method == "HEAD" else method
        for known in fitting:
            route = self._by_path[known].get(method) or self._by_path[known].get(wanted)
            if route is not None:
                return route, _parameters_of(self._segments[known], given)
        allow = _allowed([self._by_path[known] for known in fitting])
        if method == "OPTIONS":
            answer = {"status": 204, "headers": {"Allow": allow}}
            return Route("OPTIONS", path, lambda call: answer), {}
        message = f"{method} is not allowed here; use {allow}."
        raise HttpError(405, "method_not_allowed", message, headers={"Allow": allow})


def _allowed(candidates):
    methods = {method for candidate in candidates for method in candidate} | {"OPTIONS"}
    return ", ".join(sorted(methods | {"HEAD"} if "GET" in methods else methods))


def _segments_of(path):
    return [segment for segment in path.split("/") if segment]


def _is_parameter(segment):
    return segment.startswith("{") and segment.endswith("}")


def _fits(pattern, segments):
    return len(pattern) == len(segments) and all(
        _is_parameter(part) or part == segment for part, segment in zip(pattern, segments)
    )


def _parameters_of(pattern, segments):
    return {part[1:-1]: segment for part, segment in zip(pattern, segments) if _is_parameter(part)}
