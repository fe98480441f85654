import { method, status, urlPath } from "./http.ts";
import {
  anything,
  boolean,
  either,
  elseFor,
  integer,
  list,
  map,
  number,
  object,
  oneOf,
  openObject,
  sameAs,
  string,
  withDefault,
  withOthers,
} from "./shape.ts";

const someTexts = (description: string) =>
  either(description, [string(description), list(description, string("A string."))]);

const limit = anything(
  "The limit: a number, in the unit that the name ends with, or a string with comparison and unit such as `< 200 ms`. Any other value is a named check.",
  { examples: [200, ">= 300 rps", true] },
);

/** Limits by name; whatever else documents write there becomes named checks. */
const measurements = (description: string, example: Readonly<Record<string, number>>) =>
  either(description, [map(description, limit), anything("A named check.")], { examples: [example] });

const testSuite = object("A set of tests that must exist and pass.", {
  file: string("Glob of the test files, relative to the project.", {
    pattern: "^(?!/)(?!(?:.*/)?\\.\\.(?:/|$)).+$",
    patternErrorMessage: "a glob inside the project: not absolute, without '..'",
    examples: ["tests/unit/**/*.test.js"],
  }),
  type: withDefault(
    oneOf("What kind of tests these are.", {
      unit: "Single functions and modules.",
      integration: "Several parts together.",
      e2e: "The whole, as a user sees it.",
    }),
    "unit",
  ),
  coverage_threshold: number("Share of the code, from 0 to 1, that all tests together must cover.", {
    minimum: 0,
    maximum: 1,
    examples: [0.85],
  }),
  framework: string("Test framework, where it matters.", { examples: ["node:test", "vitest", "pytest"] }),
});

const jsonSchema = (description: string) =>
  anything(`${description}: a JSON Schema (2020-12, without references to other documents).`, {
    examples: [{ type: "object", required: ["id"] }],
  });

const httpEndpoint = object("A request that the running software must answer as written.", {
  path: withDefault(urlPath("Path to request."), "/"),
  method: withDefault(method, "GET"),
  status: withDefault(status, 200),
  expected_status: sameAs("status", status),
  timeout_seconds: withDefault(integer("Seconds before the request fails.", { minimum: 1, maximum: 600 }), 10),
  auth_required: withDefault(
    boolean("The request is sent with a token; without one it must be refused with 401."),
    false,
  ),
  debug: withDefault(boolean("Keep the full request and response as evidence, even when the check passes."), false),
  response_contains: someTexts("One or more strings that the response body must contain."),
  response_schema: jsonSchema("What the response body, as JSON, must match"),
  body: anything("JSON body to send; `{}` if absent and the method takes one."),
  headers: map("Headers to send.", string("Value of the header.")),
});

const serviceHealth = object("A service that must report itself healthy.", {
  service: string("Name of the service, a key of `services`.", { minLength: 1 }),
  endpoint: withDefault(urlPath("Path of its health check."), "/health"),
  status: withDefault(status, 200),
  expected_status: sameAs("status", status),
});

const jsonPointer = (description: string) =>
  string(description, {
    pattern: "^(?:/(?:[^~/]|~[01])*)*$",
    patternErrorMessage: "a JSON Pointer: empty, or starting with '/', with '~' only in '~0' and '~1'",
    examples: ["/id", "/user/token"],
  });

/** The status of a step that says none. */
export const stepStatusDefault = "2xx";

const stepStatus = either("HTTP status that the answer must have: one, or a class such as `2xx`.", [
  status,
  string("A status, or a class of them.", {
    pattern: "^[1-5](?:\\d\\d|[xX][xX])$",
    patternErrorMessage: "an HTTP status such as 201, or a class such as 2xx",
    examples: ["2xx"],
  }),
]);

const stepExpectation = object("What the answer must be like.", {
  status: withDefault(stepStatus, stepStatusDefault),
  contains: someTexts("One or more strings that the answer must contain."),
  schema: jsonSchema("What the answer, as JSON, must match"),
  json: map(
    "Values that the answer, as JSON, must have, by JSON Pointer. `{name}` is what an earlier step kept.",
    anything("The value that must be there."),
    { examples: [{ "/title": "milk" }] },
  ),
});

const stepText = string(
  "A step: `<METHOD> <path> → <status>`, with an optional JSON body before the arrow. The status may be a class such as `2xx`.",
  { examples: ["POST /api/items → 201", "GET /api/items/{id} → 200", "DELETE /api/items/{id} → 2xx"] },
);

const stepRequest = string("`<METHOD> <path>`. `{name}` in the path is what an earlier step kept or returned.", {
  minLength: 1,
  examples: ["POST /api/items", "GET /api/items/{id}"],
});

const stepFields = {
  request: stepRequest,
  headers: map("Headers to send. `{name}` is what an earlier step kept.", string("Value of the header.")),
  body: anything(
    "JSON body to send; `{}` if absent and the method takes one. `{name}` in its texts is what an earlier step kept; a text that is nothing else becomes the kept value, of whatever type.",
  ),
  expect: stepExpectation,
  keep: map("What later steps use as `{name}`: names, and where in the answer the value is.", jsonPointer("Where.")),
};

const aStep = "A request and how it must be answered.";

const loginStep = either(aStep, [stepText, object(aStep, stepFields, ["request"])]);

const stepActor = string("Who sends it: one of `acceptance.actors`. Without it, whoever the earlier steps logged in.", {
  minLength: 1,
});

/** A step of an integration test, as written. */
export const step = either(aStep, [stepText, object(aStep, { ...stepFields, as: stepActor }, ["request"])]);

const integrationTest = object("Requests made one after the other. Each must be answered as written.", {
  name: string("What the steps show.", { examples: ["an item can be created, read and deleted"] }),
  steps: list(
    "The steps, in order. `{id}` in a path, a query or a body is the id that an earlier step returned.",
    step,
  ),
});

const actor = object(
  "Somebody who sends requests, with cookies and a token of their own. One without `login` and `headers` is nobody in particular.",
  {
    login: loginStep,
    token: jsonPointer(
      "Where in the answer to `login` the token is, which is then sent as `Authorization: Bearer`. Without it, `access_token` or `token`.",
    ),
    headers: map("Headers that are sent with every request.", string("Value of the header.")),
  },
);

/** Defaults of a command check. */
export const commandDefaults = { exit_code: 0, timeout_seconds: 30 } as const;

const exitCode = integer("Exit code that the command must return.", { minimum: 0, maximum: 255 });

const stdoutContains = someTexts("One or more strings that standard output must contain.");

const commandText = string("The command line.", { minLength: 1, examples: ["todo list --json"] });

const command = either("A command that must exit as written.", [
  string("`<command> → <exit code>`; without an arrow the exit code must be 0.", {
    minLength: 1,
    examples: ["todo add milk → 0", "todo remove 99 → 1"],
  }),
  object(
    "A command and what it must print.",
    {
      command: commandText,
      name: elseFor("command", "A label for people; without `command`, the command line.", commandText),
      exit_code: withDefault(exitCode, commandDefaults.exit_code),
      expected_exit_code: sameAs("exit_code", exitCode),
      stdout_contains: stdoutContains,
      output_contains: sameAs("stdout_contains", stdoutContains),
      stderr_contains: someTexts("One or more strings that standard error must contain."),
      stdin: string("Text given to the command on standard input."),
      timeout_seconds: withDefault(
        integer("Seconds before the command fails.", { minimum: 1, maximum: 3600 }),
        commandDefaults.timeout_seconds,
      ),
      output_format: anything("Format of standard output. A named check of its own.", { examples: ["json"] }),
      performance: measurements("Limits for measurements of this command, by the name of the measurement.", {
        max_execution_time_ms: 500,
      }),
    },
    ["command"],
  ),
]);

const flows = () =>
  anything(
    "Flows that somebody can follow in a browser, each with steps such as `open /`, `fill Title with Milk`, `click Add`, `see Milk`: a list of maps with `name` and `steps`, or a map of steps by name. A flow with a step that is not understood is not checked.",
    {
      examples: [
        [{ name: "an item can be added", steps: ["open /", "fill Title with Milk", "click Add", "see Milk"] }],
      ],
    },
  );

export const acceptance = withOthers(
  object(
    "What must be true of the result. Every line is checked against the real result. A key that is not listed here is a named check, which an agent or a plugin must answer for.",
    {
      tests: list("Test suites that must exist and pass.", testSuite),
      http_endpoints: list("Requests that the running software must answer.", httpEndpoint),
      service_health: list("Services that must be healthy.", serviceHealth),
      integration_tests: list("Sequences of requests that must work together.", integrationTest),
      actors: map("Who sends the requests of integration tests, by name. They are no checks.", actor, {
        examples: [{ ada: { login: 'POST /login {"name": "ada"} → 200', token: "/token" } }],
      }),
      commands: list("Commands that must exit as written.", command),
      performance: measurements("Limits for measurements, by the name of the measurement.", {
        response_time_p95_ms: 200,
        requests_per_second: 300,
        error_rate: 0.01,
      }),
      ux_flows: flows(),
      user_flows: flows(),
      deployment_time_max_minutes: number("Minutes within which a deployment must be live.", { exclusiveMinimum: 0 }),
      health_check_timeout_seconds: number("Seconds within which the started software must answer its health check.", {
        exclusiveMinimum: 0,
      }),
    },
  ),
  "checks",
);

export const stack = openObject(
  "Technology choices: any keys you like, with strings, lists or maps as values. May be empty (`{}`).",
  { examples: [{ language: "javascript", runtime: "node", storage: "files" }] },
);
