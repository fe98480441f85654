import type { EndpointName, Problem, ProblemDetail } from "@slipway/contract";
import { ConnectionError, type RequestInfo, SlipwayError } from "./errors.ts";
import { type Prepared, type Route, routeOf } from "./request-of.ts";

/** Whether a response is of the kind that the call asks for: what is in between may answer for the service. */
export function isAsked({ mayBeEmpty, members }: Route, { headers }: Prepared["init"], response: Response): boolean {
  if (response.status === 304) return "if-none-match" in headers;
  if (response.status === 204) return mayBeEmpty;
  if (mayBeEmpty && members.length === 0) return false;
  const asked = (headers["accept"] ?? "").split(", ").filter((type) => type !== "application/problem+json");
  // A file may be of any type, but is never to be shown as a page.
  if (asked.includes("*/*")) return response.headers.get("content-disposition")?.startsWith("attachment") === true;
  return asked.includes(mediaTypeOf(response));
}

/** The value of a response; of JSON, only what this endpoint answers. */
export async function readAnswer(
  { request, route }: Pick<Prepared, "request" | "route">,
  response: Response,
  signal?: AbortSignal,
): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw abortOrConnectionError(request, error, signal);
  });
  if (response.status === 204 || response.status === 304) return undefined;
  if (!isJson(response)) return text;
  const value = parse(text);
  if (value === undefined) throw new ConnectionError(request, new Error("the response is not valid JSON"));
  if (!isOf(route, value)) throw strangeAnswer(request, response);
  return value;
}

/** The value of a response to a GET request that was sent. */
export function readSent(name: EndpointName, response: Response): Promise<unknown> {
  return readAnswer({ request: { method: "GET", url: response.url }, route: routeOf(name) }, response);
}

/** The error of a response that has an error status. */
export async function errorOf(request: RequestInfo, response: Response): Promise<SlipwayError> {
  const text = await response.text().catch(() => "");
  const value = isJson(response) ? parse(text) : undefined;
  const problem = isProblem(value) ? value : undefined;
  return new SlipwayError(request, { ...toldBy(response), problem, retryAfterMs: retryAfterMs(response) });
}

/** The error of a response that is not the service's, whatever its status says. */
export function strangeAnswer(request: RequestInfo, response: Response): SlipwayError {
  return new SlipwayError(request, { ...toldBy(response), problem: undefined, retryAfterMs: undefined });
}

/** The caller's own reason if the caller aborted, else a connection error. */
export function abortOrConnectionError(
  request: RequestInfo,
  error: unknown,
  signal: AbortSignal | null | undefined,
): unknown {
  const isAborted = signal?.aborted === true && (signal.reason as Error | undefined)?.name !== "TimeoutError";
  return isAborted ? signal.reason : new ConnectionError(request, error);
}

function toldBy(response: Response) {
  return { status: response.status, mediaType: mediaTypeOf(response), answeredBy: response.url };
}

function mediaTypeOf({ headers }: Response): string {
  const [type = ""] = /^[\w.+-]+\/[\w.+-]+/.exec(headers.get("content-type") ?? "") ?? [];
  return type.toLowerCase();
}

function isJson(response: Response): boolean {
  return /^application\/(\w+\+)?json$/.test(mediaTypeOf(response));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isOf({ members }: Route, value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const has = value as Readonly<Record<string, unknown>>;
  const isThere = (member: string) =>
    member.endsWith("[]") ? Array.isArray(has[member.slice(0, -2)]) : has[member] !== undefined;
  return members.length === 0 || members.some(isThere);
}

function isProblem(value: unknown): value is Problem {
  const { code, detail, errors = [] } = (value ?? {}) as Partial<Problem>;
  return typeof code === "string" && typeof detail === "string" && Array.isArray(errors) && errors.every(isDetail);
}

function isDetail(value: unknown): boolean {
  const { pointer, message } = (value ?? {}) as Partial<ProblemDetail>;
  return typeof pointer === "string" && typeof message === "string";
}

function retryAfterMs({ headers }: Response): number | undefined {
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
