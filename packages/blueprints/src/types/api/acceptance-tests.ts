import type { AcceptanceLine } from "@slipway/spec";
import { isPlainStep } from "../../kit/not-built.ts";
import { isParameter } from "./path-shape.ts";
import { type ExpectedRequest, isSuccess, readRequests } from "./read-requests.ts";

/** An acceptance test, independent of the language: requests in order. */
export interface AcceptanceTest {
  readonly title: string;
  readonly requests: readonly ExpectedRequest[];
  /** Ids from earlier responses go into later paths. */
  readonly passesIds: boolean;
}

/** The tests of a task: every request of its acceptance lines. */
export function testsOf(lines: readonly AcceptanceLine[], all: readonly ExpectedRequest[]): readonly AcceptanceTest[] {
  return lines.flatMap((line): readonly AcceptanceTest[] => {
    const requests = readRequests([line]);
    const [first] = requests;
    if (first === undefined) return [];
    // A test that leaves out who sends a step, or what it keeps, would fail for that alone.
    if (line.check.kind === "integration_test" && !line.check.steps.every(isPlainStep)) return [];
    if (line.check.kind === "integration_test") return [{ title: line.check.name, requests, passesIds: true }];
    const calls = [...requestsBefore(first, all), first];
    const passesIds = calls.some(({ shape }) =>
      shape.segments.some((segment) => "parameter" in segment && segment.literal === undefined),
    );
    return [{ title: titleOf(first), requests: calls, passesIds }];
  });
}

/** The requests that must come first for the response to be as expected. */
function requestsBefore(request: ExpectedRequest, all: readonly ExpectedRequest[]): readonly ExpectedRequest[] {
  if (
    !isSuccess(request) ||
    (request.method === "GET" && request.contains.length === 0 && !isParameter(request.shape.segments.at(-1)))
  )
    return [];
  if (request.method === "POST" && !isParameter(request.shape.segments.at(-2))) return [];
  const earlier = all.slice(
    0,
    Math.max(
      0,
      all.findIndex(({ pointer }) => pointer === request.pointer),
    ),
  );
  return earlier.filter((other) => {
    const isCreation = other.step === undefined && other.method === "POST" && isSuccess(other);
    return isCreation && request.shape.key.startsWith(other.shape.key);
  });
}

function titleOf(request: ExpectedRequest): string {
  const { method, path, isAuthRequired } = request;
  return `${method} ${path} is answered with ${wantedStatus(request)}${isAuthRequired ? ", and not without a token" : ""}`;
}

/** A method that takes a body gets `{}` where the document gives none. */
export function sentBody({ method, body }: ExpectedRequest): unknown {
  return body === undefined && ["POST", "PUT", "PATCH"].includes(method) ? {} : body;
}

export function wantedStatus({ status }: ExpectedRequest): number | string {
  return "exactly" in status ? status.exactly : `${status.class}xx`;
}
