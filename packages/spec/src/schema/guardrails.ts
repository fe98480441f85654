import { alsoWritten, boolean, either, integer, list, number, object, oneOf, string, withDefault } from "./shape.ts";

const securityScan = alsoWritten(
  oneOf("What a finding of the security scan means. The scan always runs.", {
    off: "Findings are reported, but have no effect.",
    warn: "Findings are reported as warnings.",
    error: "A serious finding fails the project.",
    block: "Any finding fails the project, and so does a scan that could not run.",
  }),
  [
    [true, "error"],
    [false, "off"],
  ],
);

const securityWaiver = object(
  "A finding that does not count until a day. Comments in the code waive nothing: agents write code.",
  {
    rule: string("The rule, as the scan names it; `not-scanned` for files that no rule reads.", {
      minLength: 1,
      examples: ["code/weak-hash"],
    }),
    path: string("The file, or a folder with a slash at its end.", {
      minLength: 1,
      examples: ["src/etag.js", "vendor/"],
    }),
    reason: string("Why it may stay.", { minLength: 1 }),
    expires: string("The last day on which the waiver counts.", {
      pattern: "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$",
      patternErrorMessage: "Write a day as `2027-01-31`.",
      examples: ["2027-01-31"],
    }),
  },
  ["rule", "path", "reason", "expires"],
);

const deploymentGuardrails = object("What must be true before and during a deployment.", {
  tests_required: withDefault(boolean("Deploy only if the tests ran and passed."), false),
  security_scan_required: withDefault(boolean("Deploy only after a security scan."), false),
  human_approval_required: either("Where a person must approve before a deployment.", [
    list(
      "Environments whose deployments a person must approve. A name that is not an environment applies to every deployment.",
      string("Name of an environment.", { minLength: 1 }),
    ),
    boolean("Whether a person must approve every deployment covered by this block."),
  ]),
  rollback_timeout_minutes: withDefault(
    integer("Minutes within which a failed deployment must be rolled back.", { minimum: 1, maximum: 1440 }),
    10,
  ),
  health_check_retries: withDefault(
    integer("Retries of a health check before the deployment fails.", { minimum: 0, maximum: 100 }),
    3,
  ),
});

export const guardrails = object("Rules that every result must meet.", {
  tests_required: withDefault(boolean("A project without tests fails."), false),
  min_test_coverage: number("Share of the code that tests must cover, from 0 to 1.", {
    minimum: 0,
    maximum: 1,
    examples: [0.85],
  }),
  test_types_required: list(
    "Kinds of tests that must exist.",
    string("A kind of test, as in `acceptance.tests[].type`.", { minLength: 1, examples: ["unit", "integration"] }),
  ),
  performance_tests: withDefault(boolean("A project without a performance measurement fails."), false),
  security_tests: withDefault(boolean("A project without security tests fails."), false),
  security_scan: withDefault(securityScan, "warn"),
  repair_rounds: withDefault(
    integer("How often an agent may mend what the validation found before the project fails.", {
      minimum: 0,
      maximum: 10,
    }),
    2,
  ),
  unverified: withDefault(
    oneOf("What happens with lines that nobody could check.", {
      allow: "The project goes on; every verdict says how many lines were not checked.",
      ask: "A person decides before the deployment.",
      fail: "The project fails.",
    }),
    "allow",
  ),
  security_waivers: list("Findings of the security scan that people have accepted for a time.", securityWaiver),
  license_whitelist: list(
    "Licences that packages from others may have. A package with another or an unknown licence fails the project.",
    string("An SPDX identifier, such as `MIT`.", { minLength: 1, examples: ["MIT", "Apache-2.0"] }),
  ),
  lint: withDefault(boolean("A project that the linter complains about fails."), false),
  type_check: withDefault(boolean("A project whose types do not fit fails."), false),
  deployment: withDefault(deploymentGuardrails, {}),
});
