import type { AcceptanceLine } from "@slipway/spec";
import { literal } from "../../kit/literal.ts";
import { js } from "../../kit/quote.ts";
import { sentBody, testsOf, wantedStatus } from "./acceptance-tests.ts";
import type { ExpectedRequest } from "./read-requests.ts";

/** The tests of a task for Node; undefined if its lines make no request. */
export function nodeAcceptanceTests(
  lines: readonly AcceptanceLine[],
  all: readonly ExpectedRequest[],
): string | undefined {
  const tests = testsOf(lines, all);
  if (tests.length === 0) return undefined;
  const imports = [
    ...(tests.some(({ passesIds }) => !passesIds) ? ["check"] : []),
    ...(tests.some(({ passesIds }) => passesIds) ? ["steps"] : []),
  ];
  return [
    'import { test } from "node:test";',
    `import { ${imports.join(", ")} } from "#testing/check.js";`,
    'import { startApp } from "#testing/start-app.js";',
    ...tests.flatMap(({ title, requests, passesIds }) => [
      "",
      `test(${js(title)}, async (t) => {`,
      "  const { call } = await startApp(t);",
      ...(passesIds ? ["  const step = steps(call);"] : []),
      ...requests.map((request) => `  await ${passesIds ? "step(" : "check(call, "}${argumentsOf(request)});`),
      "});",
    ]),
  ].join("\n");
}

function argumentsOf(request: ExpectedRequest): string {
  const { contains, headers, isAuthRequired } = request;
  const sent = sentBody(request);
  const options = {
    ...(sent !== undefined && { body: sent }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(contains.length > 0 && { contains }),
    ...(isAuthRequired && { isAuthRequired }),
  };
  const rest = Object.keys(options).length > 0 ? `, ${literal(options, "  ")}` : "";
  return `${js(request.method)}, ${js(request.path)}, ${js(wantedStatus(request))}${rest}`;
}
