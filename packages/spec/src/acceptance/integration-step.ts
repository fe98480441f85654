import { quote } from "../check/describe-value.ts";
import { nearest } from "../check/nearest.ts";
import { type step, stepStatusDefault } from "../schema/acceptance.ts";
import { type HttpMethod, httpMethods } from "../schema/http.ts";
import type { Checked } from "../schema/shape.ts";
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
  readonly headers?: Readonly<Record<string, string>>;
  /** The actor who sends it; undefined for whoever the earlier steps logged in. */
  readonly as?: string;
  readonly status: StatusMatch;
  readonly contains?: readonly string[];
  /** The JSON Schema that the answer must match. */
  readonly schema?: unknown;
  /** The values that the answer must have. */
  readonly json?: readonly (readonly [pointer: string, value: unknown])[];
  /** What later steps need of the answer. */
  readonly keep?: readonly (readonly [name: string, pointer: string])[];
}

export interface StepProblem {
  readonly problem: string;
  readonly suggestion: string;
  /** The key of the step that is wrong; undefined for the whole step. */
  readonly key?: string;
}

/** A step as documents write it. */
export type WrittenStep = Checked<typeof step>;
type StepObject = Exclude<WrittenStep, string>;

/** Parses a step: a text, or a map. */
export function parseStep(written: WrittenStep): IntegrationStep | StepProblem {
  return typeof written === "string" ? parseText(written) : parseObject(written);
}

function parseObject({ request, expect = {}, keep = {}, headers, as, ...rest }: StepObject) {
  if (lastArrow(request) !== undefined)
    return { ...problem("the request has an arrow", "Write the status as 'expect: { status: 201 }'."), key: "request" };
  const parsed = parseRequest(request.trim());
  if (isStepProblem(parsed)) return { ...parsed, key: "request" };
  if ("body" in parsed)
    return { ...problem("the request has more than a method and a path", "Write the body as 'body'."), key: "request" };
  const json = Object.entries(expect.json ?? {});
  const kept = Object.entries(keep);
  return {
    ...parsed,
    ...("body" in rest && { body: rest.body }),
    ...(headers !== undefined && { headers }),
    ...(as !== undefined && { as }),
    // The schema refuses any other status.
    status: parseStatusMatch(String(expect.status ?? stepStatusDefault))!,
    ...(expect.contains !== undefined && { contains: [expect.contains].flat() }),
    ...("schema" in expect && { schema: expect.schema }),
    ...(json.length > 0 && { json }),
    ...(kept.length > 0 && { keep: kept }),
  };
}

/** Parses `<METHOD> <path> [JSON body] → <status>`; `->` and `=>` are arrows too. */
function parseText(text: string): IntegrationStep | StepProblem {
  const arrow = lastArrow(text);
  if (arrow === undefined) return problem("it has no arrow", "End it with '→ 200'.");
  const status = parseStatusMatch(text.slice(arrow.end).trim());
  if (status === undefined) {
    const found = quote(text.slice(arrow.end).trim());
    return problem(`${found} is not an HTTP status`, "Write a status such as 201, or a class such as 2xx.");
  }
  const request = parseRequest(text.slice(0, arrow.start).trim());
  return isStepProblem(request) ? request : { ...request, status };
}

type Request = Pick<IntegrationStep, "method" | "path" | "parameters" | "query" | "body">;

function parseRequest(text: string): Request | StepProblem {
  const request = /^(\S+)\s+(\S+)\s*(.*)$/s.exec(text);
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
  return { method, ...parseTarget(target), ...body };
}

export function isStepProblem(step: object): step is StepProblem {
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
