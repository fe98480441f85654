import { quote } from "../check/describe-value.ts";
import { nearest } from "../check/nearest.ts";
import { type HttpMethod, httpMethods } from "../schema/http.ts";
import { parseStatusMatch, type StatusMatch } from "./status-match.ts";

/** One request of an integration test and its expected status. */
export interface IntegrationStep {
  readonly method: HttpMethod;
  /** The path with its parameters as written, without the query. */
  readonly path: string;
  /** Names in braces or after a colon, in order. */
  readonly parameters: readonly string[];
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly body?: unknown;
  readonly status: StatusMatch;
}

export interface StepProblem {
  readonly problem: string;
  readonly suggestion: string;
}

/** Parses `<METHOD> <path> [JSON body] → <status>`; `->` and `=>` are arrows too. */
export function parseStep(text: string): IntegrationStep | StepProblem {
  const arrow = lastArrow(text);
  if (arrow === undefined) return problem("it has no arrow", "End it with '→ 200'.");
  const status = parseStatusMatch(text.slice(arrow.end).trim());
  if (status === undefined) {
    const found = quote(text.slice(arrow.end).trim());
    return problem(`${found} is not an HTTP status`, "Write a status such as 201, or a class such as 2xx.");
  }
  const request = /^(\S+)\s+(\S+)\s*(.*)$/s.exec(text.slice(0, arrow.start).trim());
  if (request === null) return problem("it has no method and path", "Start it with 'GET /path'.");
  const [, word = "", target = "", bodyText = ""] = request;
  const method = httpMethods.find((known) => known === word.toUpperCase());
  if (method === undefined) {
    const meant = nearest(word, httpMethods);
    const suggestion = meant === undefined ? `Use one of ${httpMethods.join(", ")}.` : `Did you mean '${meant}'?`;
    return problem(`${quote(word)} is not an HTTP method`, suggestion);
  }
  if (!target.startsWith("/"))
    return problem(`the path ${quote(target)} does not start with '/'`, "Write the path from the root.");
  const body = parseBody(bodyText);
  if (body === undefined)
    return problem(`${quote(bodyText)} is not valid JSON`, "Write a JSON body before the arrow, or none.");
  return { method, ...parseTarget(target), ...body, status };
}

export function isStepProblem(step: IntegrationStep | StepProblem): step is StepProblem {
  return "problem" in step;
}

/** The last arrow of a line: a body before it may contain arrows. */
export function lastArrow(text: string): { readonly start: number; readonly end: number } | undefined {
  const found = ["→", "->", "=>"]
    .map((arrow) => ({ start: text.lastIndexOf(arrow), length: arrow.length }))
    .filter(({ start }) => start !== -1)
    .sort((a, b) => b.start - a.start)[0];
  return found && { start: found.start, end: found.start + found.length };
}

function problem(what: string, suggestion: string): StepProblem {
  return { problem: what, suggestion };
}

function parseBody(text: string): { body?: unknown } | undefined {
  if (text === "") return {};
  try {
    return { body: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function parseTarget(target: string): Pick<IntegrationStep, "path" | "parameters" | "query"> {
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? [] : [...new URLSearchParams(target.slice(mark + 1))];
  const parameters = [...path.matchAll(/\{([^{}/]+)\}|(?<=\/):([A-Za-z_]\w*)/g)].map(
    ([, braced, colon]) => braced ?? colon ?? "",
  );
  return { path, parameters, query };
}
