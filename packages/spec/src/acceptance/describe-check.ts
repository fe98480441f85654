import type { AcceptanceCheck, Actor } from "./acceptance-checks.ts";
import type { IntegrationStep } from "./integration-step.ts";
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
        "responseSchema" in check && `, and the answer matches the schema ${JSON.stringify(check.responseSchema)}`,
      ]
        .filter((part) => part !== false)
        .join("");
    case "service_health": {
      const who = check.service === undefined ? "The software" : `The service ${check.service}`;
      return `${who} is well: ${check.endpoint} answers ${describeStatusMatch(check.status)}`;
    }
    case "integration_test": {
      const steps = check.steps.map(describeStep);
      const who = Object.entries(check.actors ?? {}).map(([name, actor]) => describeActor(name, actor));
      return [`${check.name}: ${steps.join(", then ")}`, ...who].join("; ");
    }
    case "command":
      return [
        check.name !== undefined && `${check.name}: `,
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
      return `${check.name}${of(check.command)}: ${isFlow(check.name) ? flowInWords(check.value) : JSON.stringify(check.value)}`;
  }
}

/** With all that an agent must know to build what is asked for. */
function describeStep(step: IntegrationStep): string {
  const { method, path, query, status, headers, as, contains = [], json = [], keep = [] } = step;
  const asked = query.length === 0 ? "" : `?${query.map(([name, value]) => `${name}=${value}`).join("&")}`;
  return [
    `${method} ${path}${asked}`,
    step.body !== undefined && ` ${JSON.stringify(step.body)}`,
    as !== undefined && ` as ${as}`,
    headers !== undefined && ` with the headers ${JSON.stringify(headers)}`,
    ` → ${describeStatusMatch(status)}`,
    contains.length > 0 && ` containing ${texts(contains)}`,
    ...json.map(([pointer, value]) => ` with ${JSON.stringify(value)} at '${pointer}'`),
    "schema" in step && ` matching the schema ${JSON.stringify(step.schema)}`,
    ...keep.map(([name, pointer]) => `, keeping '${pointer}' as {${name}}`),
  ]
    .filter((part) => part !== false)
    .join("");
}

function describeActor(name: string, { login, token, headers }: Actor): string {
  const sent = Object.keys(headers).length > 0 && `sends the headers ${JSON.stringify(headers)}`;
  const logsIn = login !== undefined && `logs in by ${describeStep(login)}`;
  const finds = token !== undefined && `whose token is at '${token}'`;
  const parts = [logsIn, finds, sent].filter((part) => part !== false);
  return `${name} ${parts.length === 0 ? "is not logged in" : parts.join(", ")}`;
}

function of(command: string | undefined): string {
  return command === undefined ? "" : ` of the command \`${command}\``;
}

function isFlow(name: string): boolean {
  return name === "ux_flows" || name === "user_flows";
}

/** `An item can be added (open / → click Add → see Milk)`. */
function flowInWords(flow: unknown): string {
  if (Array.isArray(flow)) return flow.map(flowInWords).join(" → ");
  if (typeof flow !== "object" || flow === null) return String(flow);
  const { name, steps, ...rest } = flow as { readonly name?: unknown; readonly steps?: unknown };
  if (steps !== undefined) return name === undefined ? flowInWords(steps) : `${name} (${flowInWords(steps)})`;
  const words = Object.entries({ ...(name !== undefined && { name }), ...rest });
  return words.map(([key, value]) => `${key} ${flowInWords(value)}`).join(", ");
}

function texts(list: readonly string[]): string {
  return list.map((text) => JSON.stringify(text)).join(" and ");
}
