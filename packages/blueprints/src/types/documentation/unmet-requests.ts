import { type AcceptanceLine, matchesStatus, type StatusMatch } from "@slipway/spec";
import type { Unmet } from "../../plugin.ts";
import type { Rendered } from "./render-site.ts";

/** The requests that the site does not answer as the document says. */
export function unmetRequests(lines: readonly AcceptanceLine[], { answer }: Rendered): readonly Unmet[] {
  const check = (
    pointer: string,
    method: string,
    path: string,
    status: StatusMatch,
    texts: readonly string[],
  ): Unmet[] => {
    const known = answer(method, path);
    if (!matchesStatus(status, known.status))
      return [{ pointer, reason: `${method} ${path} answers ${known.status}.` }];
    const missing = texts.filter((text) => !known.body.includes(text));
    return missing.map((text) => ({ pointer, reason: `The answer to ${path} does not contain ${text}.` }));
  };
  return lines.flatMap(({ pointer, check: line }) => {
    switch (line.kind) {
      case "http_endpoint":
        if (line.isAuthRequired) return [{ pointer, reason: "Nothing here asks who you are." }];
        return check(pointer, line.method, line.path, line.status, line.responseContains);
      case "service_health":
        if (line.service !== undefined) return [{ pointer, reason: "There is one program, without services." }];
        return check(pointer, "GET", line.endpoint, line.status, []);
      default:
        return [];
    }
  });
}
