import type { AcceptanceCheck } from "./acceptance-checks.ts";
import { describeStatusMatch } from "./status-match.ts";

/** An acceptance line in words. */
export function describeCheck(check: AcceptanceCheck): string {
  switch (check.kind) {
    case "tests":
      return [
        `${check.type} tests pass`,
        check.file && ` (${check.file})`,
        check.framework && `, written with ${check.framework}`,
        check.coverageThreshold && `, and cover ${Math.round(check.coverageThreshold * 100)} % of the code`,
      ]
        .filter((part) => part !== undefined)
        .join("");
    case "http_endpoint":
      return [
        `${check.method} ${check.path}`,
        "body" in check && ` with the body ${JSON.stringify(check.body)}`,
        check.isAuthRequired && " (with a token)",
        ` answers ${describeStatusMatch(check.status)} within ${check.timeoutSeconds} s`,
        check.responseContains.length > 0 && `, and the answer contains ${texts(check.responseContains)}`,
      ]
        .filter((part) => part !== false)
        .join("");
    case "service_health": {
      const who = check.service === undefined ? "The software" : `The service ${check.service}`;
      return `${who} is well: ${check.endpoint} answers ${describeStatusMatch(check.status)}`;
    }
    case "integration_test": {
      const steps = check.steps.map(({ method, path, query, body, status }) => {
        const asked = query.length === 0 ? "" : `?${query.map(([name, value]) => `${name}=${value}`).join("&")}`;
        const sent = body === undefined ? "" : ` ${JSON.stringify(body)}`;
        return `${method} ${path}${asked}${sent} → ${describeStatusMatch(status)}`;
      });
      return `${check.name}: ${steps.join(", then ")}`;
    }
    case "command":
      return [
        `The command \`${check.command}\` ends with ${check.exitCode} within ${check.timeoutSeconds} s`,
        check.stdin !== undefined && `, given ${JSON.stringify(check.stdin)} as input`,
        check.stdoutContains.length > 0 && `, prints ${texts(check.stdoutContains)}`,
        check.stderrContains.length > 0 && `, prints ${texts(check.stderrContains)} to stderr`,
      ]
        .filter((part) => part !== false)
        .join("");
    case "performance": {
      const { comparison, value, unit } = check.limit;
      const bound = comparison === "at_most" ? "at most" : "at least";
      return `${check.metric}${of(check.command)} is ${bound} ${value}${unit === undefined ? "" : ` ${unit}`}`;
    }
    case "named":
      return `${check.name}${of(check.command)}: ${JSON.stringify(check.value)}`;
  }
}

function of(command: string | undefined): string {
  return command === undefined ? "" : ` of the command \`${command}\``;
}

function texts(list: readonly string[]): string {
  return list.map((text) => JSON.stringify(text)).join(" and ");
}
