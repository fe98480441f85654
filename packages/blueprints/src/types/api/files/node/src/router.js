import { HttpError, notFound } from "./http.js";

/** Finds the route of a request. Where several fit, the one with more words that are written out wins. */
export class Router {
  #byPath = new Map();

  constructor(routes) {
    for (const route of routes) {
      const known = this.#byPath.get(route.path) ?? { segments: segmentsOf(route.path), methods: new Map() };
      // The first that was named for a method and a path stays.
      if (!known.methods.has(route.method)) known.methods.set(route.method, route);
      this.#byPath.set(route.path, known);
    }
  }

  find(method, pathname) {
    const segments = segmentsOf(pathname).map(decoded);
    const fitting = [...this.#byPath.values()]
      .filter((candidate) => fits(candidate.segments, segments))
      .sort((a, b) => countParameters(a.segments) - countParameters(b.segments));
    if (fitting.length === 0) throw notFound(`The path ${pathname} was not found.`);
    const wanted = method === "HEAD" ? "GET" : method;
    const found = fitting.find(({ methods }) => methods.has(method) || methods.has(wanted));
    if (found !== undefined) {
      const route = found.methods.get(method) ?? found.methods.get(wanted);
      return { route, parameters: parametersOf(found.segments, segments) };
    }
    const allow = allowed(fitting);
    if (method === "OPTIONS")
      return { route: { path: pathname, handle: () => ({ status: 204, headers: { allow } }) }, parameters: {} };
    throw new HttpError(405, "method_not_allowed", `${method} is not allowed here; use ${allow}.`, {
      headers: { allow },
    });
  }
}

function allowed(candidates) {
  const methods = new Set(candidates.flatMap((candidate) => [...candidate.methods.keys()]));
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods, "OPTIONS"].sort().join(", ");
}

function segmentsOf(path) {
  return path.split("/").filter(Boolean);
}

function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpError(400, "bad_path", "The path is not encoded correctly.");
  }
}

const isParameter = (segment) => segment.startsWith("{") && segment.endsWith("}");

function fits(pattern, segments) {
  return (
    pattern.length === segments.length && pattern.every((part, index) => isParameter(part) || part === segments[index])
  );
}

function countParameters(pattern) {
  return pattern.filter(isParameter).length;
}

function parametersOf(pattern, segments) {
  const named = pattern.map((part, index) => [part, segments[index]]).filter(([part]) => isParameter(part));
  return Object.fromEntries(named.map(([part, value]) => [part.slice(1, -1), value]));
}
