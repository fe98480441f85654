import type { AcceptanceLine } from "@slipway/spec";
import { comment, py } from "../../kit/quote.ts";
import { sentBody, testsOf, wantedStatus } from "./acceptance-tests.ts";
import type { ExpectedRequest } from "./read-requests.ts";
import { uniqueNames } from "./unique-names.ts";

/** The tests of a task for Python; undefined if its lines make no request. */
export function pythonAcceptanceTests(
  lines: readonly AcceptanceLine[],
  all: readonly ExpectedRequest[],
): string | undefined {
  const tests = testsOf(lines, all);
  if (tests.length === 0) return undefined;
  const names = uniqueNames(
    tests.map(({ title }) => title),
    "line",
  );
  const needsSteps = tests.some(({ passesIds }) => passesIds);
  return [
    "import unittest",
    "",
    `from testing.running import ServiceTest${needsSteps ? ", Steps" : ""}`,
    "",
    "",
    "class AcceptanceTest(ServiceTest):",
    ...tests.flatMap(({ title, requests, passesIds }, index) => [
      ...(index > 0 ? [""] : []),
      `    # ${comment(title)}`,
      `    def test_${names[index]}(self):`,
      ...(passesIds ? ["        step = Steps(self)"] : []),
      ...requests.map((request) => `        ${passesIds ? "step" : "self.check"}(${argumentsOf(request)})`),
    ]),
    "",
    "",
    'if __name__ == "__main__":',
    "    unittest.main()",
  ].join("\n");
}

function argumentsOf(request: ExpectedRequest): string {
  const { method, path, contains, headers, isAuthRequired } = request;
  const body = sentBody(request);
  return [
    py(method),
    py(path),
    py(wantedStatus(request)),
    ...(body === undefined ? [] : [`body=${py(body)}`]),
    ...(Object.keys(headers).length > 0 ? [`headers=${py(headers)}`] : []),
    ...(contains.length > 0 ? [`contains=${py(contains)}`] : []),
    ...(isAuthRequired ? ["is_auth_required=True"] : []),
  ].join(", ");
}
