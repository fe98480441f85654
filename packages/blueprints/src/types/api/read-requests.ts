import { type AcceptanceLine, matchesStatus, type StatusMatch } from "@slipway/spec";
import { type PathShape, shapeOf } from "./path-shape.ts";

/** A request of the document's acceptance, from whichever line. */
export interface ExpectedRequest {
  readonly pointer: string;
  /** Its step in an integration test; undefined if it is a line of its own. */
  readonly step?: number;
  readonly method: string;
  /** As written, with its query. */
  readonly path: string;
  readonly shape: PathShape;
  readonly query: readonly (readonly [string, string])[];
  readonly body?: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: StatusMatch;
  readonly contains: readonly string[];
  readonly isAuthRequired: boolean;
}

/** The requests of these lines, in order. */
export function readRequests(lines: readonly AcceptanceLine[]): readonly ExpectedRequest[] {
  return lines.flatMap(({ pointer, check }): ExpectedRequest[] => {
    switch (check.kind) {
      case "http_endpoint": {
        const { method, path, headers, status, responseContains: contains, isAuthRequired } = check;
        const query = path.includes("?") ? [...new URLSearchParams(path.slice(path.indexOf("?") + 1))] : [];
        const body = "body" in check ? { body: check.body } : {};
        return [
          { pointer, method, path, shape: shapeOf(path), query, ...body, headers, status, contains, isAuthRequired },
        ];
      }
      case "service_health": {
        if (check.service !== undefined) return [];
        const { endpoint: path, status } = check;
        const rest = { query: [], headers: {}, contains: [], isAuthRequired: false };
        return [{ pointer, method: "GET", path, shape: shapeOf(path), status, ...rest }];
      }
      case "integration_test":
        return check.steps.map(({ method, path, query, status, contains = [], ...step }, index) => ({
          pointer,
          step: index,
          method,
          path: query.length > 0 ? `${path}?${new URLSearchParams(query.map(([name, value]) => [name, value]))}` : path,
          shape: shapeOf(path),
          query,
          ...("body" in step && { body: step.body }),
          headers: {},
          status,
          contains,
          isAuthRequired: false,
        }));
      default:
        return [];
    }
  });
}

export function isSuccess({ status }: ExpectedRequest): boolean {
  return "exactly" in status ? status.exactly >= 200 && status.exactly < 300 : status.class === 2;
}

export function expects({ status }: ExpectedRequest, ...statuses: readonly number[]): boolean {
  return statuses.some((candidate) => matchesStatus(status, candidate));
}
