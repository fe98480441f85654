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
  deployment: withDefault(deploymentGuardrails, {}),
});
