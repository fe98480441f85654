import type { LogPage } from "@slipway/contract";
import { afterAll, describe, expect, test } from "vitest";
import { environmentProvider } from "../../../src/platform/secret-providers/index.ts";
import { lookUpSecrets } from "../../../src/platform/secrets/index.ts";
import { eventsOf, submit, untilEnded } from "../../support/engine/follow.ts";
import { documentOf } from "../../support/engine/stage.ts";
import { createTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const value = "open/sesame+42";
process.env["SECRETS_TEST_KEY"] = value;
afterAll(() => {
  delete process.env["SECRETS_TEST_KEY"];
});

const agents = {
  file: "slipway.yaml",
  declared: [
    {
      name: "shell",
      kind: "command",
      command: "sh",
      args: ["-c", "echo agent has $SECRETS_TEST_KEY; echo made > made.txt"],
      capabilities: ["api", "shell"],
    },
  ],
};
const app = await createTestApp({ engine: { retryDelayMs: () => 0 }, agents });
const strict = await createTestApp({ engine: { retryDelayMs: () => 0 }, agents, environmentSecrets: ["OTHER"] });

const asking = (required: string[], more: object = {}) =>
  documentOf({
    secrets: { provider: "env", required },
    requirements: { agents: { implementer: { capabilities: ["shell"] } } },
    ...more,
  });

describe("a document's secrets", () => {
  test("are in the environment of agents and scripts, and nowhere that anybody can read", async () => {
    const scripts = { test: 'test -n "$SECRETS_TEST_KEY" && echo the test has $SECRETS_TEST_KEY' };
    const id = await submit(app, asking(["SECRETS_TEST_KEY"], { scripts }));
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", error: null });
    const lines = await until(async () => {
      const page = (await app.call({ url: `/api/v1/projects/${id}/logs?tail=1000` })).json<LogPage>();
      const texts = page.lines.map(({ text }) => text);
      return ["agent has ********", "the test has ********"].every((line) => texts.includes(line)) && texts;
    });
    expect(JSON.stringify([lines, await eventsOf(app, id)])).not.toContain(value);
  });

  test("do not get into reports by the names that a program puts into its files", async () => {
    const manifest = `{"dependencies":{"'"$SECRETS_TEST_KEY"'":"1"}}`;
    const padded = `{"metrics":{"'"${"a".repeat(990)}$SECRETS_TEST_KEY"'":1}}`;
    const scripts = {
      build: `echo '${manifest}' > package.json; mkdir reports; echo '${padded}' > reports/metrics.json`,
      test: `echo '<testsuite><testcase file="'"$SECRETS_TEST_KEY"'" name="a"/></testsuite>' > junit.xml`,
    };
    const more = {
      scripts,
      outcome_type: "ml-pipeline",
      guardrails: { tests_required: true, repair_rounds: 0 },
      acceptance: { runtime_dependencies_max: 0, metrics: { f1: ">= 0.9" } },
    };
    const id = await submit(app, asking(["SECRETS_TEST_KEY"], more));
    const { error } = await untilEnded(app, id);
    const url = `/api/v1/projects/${id}/artifacts`;
    const { artifacts } = (await app.call({ url })).json<{ artifacts: { path: string }[] }>();
    const paths = artifacts.map(({ path }) => path).filter((path) => path.startsWith("verification/"));
    const texts = await Promise.all(paths.map(async (path) => (await app.call({ url: `${url}/${path}` })).body));
    const report = texts[paths.indexOf("verification/report.json")];
    expect(report).toContain("package.json names 1 runtime dependency (********)");
    expect(texts[paths.indexOf("verification/test-results.xml")]).toContain('file="********"');
    expect(JSON.stringify([error, texts])).not.toContain(value.slice(0, 8));
  });

  test("that are missing fail the project at once, each named", async () => {
    const { status, current_phase, error } = await untilEnded(
      app,
      await submit(app, asking(["NOWHERE_1", "NOWHERE_2"])),
    );
    expect({ status, current_phase, error }).toMatchObject({
      status: "failed",
      current_phase: "planning",
      error: {
        code: "secret_missing",
        message:
          "Required secret 'NOWHERE_1' not found in provider 'environment'\nRequired secret 'NOWHERE_2' not found in provider 'environment'\nSet NOWHERE_1, NOWHERE_2 in the environment of the service and start it again; or use 'provider: slipway' and 'slipway secrets set <name>'.",
      },
    });
  });

  test("of a provider that nobody declared cannot be had", async () => {
    const document = asking([], { secrets: { provider: "vault://teams/shop", required: ["KEY"] } });
    expect((await untilEnded(app, await submit(app, document))).error?.message).toBe(
      "Unable to authenticate with secret provider 'vault': the operator has not declared it.",
    );
  });

  test("are served only as far as the operator lists them, where they list any", async () => {
    const { error } = await untilEnded(strict, await submit(strict, asking(["SECRETS_TEST_KEY"])));
    expect(error?.message).toBe(
      "Required secret 'SECRETS_TEST_KEY' not found in provider 'environment'\nOnly what the operator lists in 'environment_secrets' is served.",
    );
  });

  test("are never the service's own variables, and none at all where others can use the service", async () => {
    const document = (name: string) => ({ secrets: { provider: "environment", required: [name], optional: [] } });
    const variables = { SLIPWAY_MASTER_KEY: "x", KEY: "y" };
    const environment = environmentProvider({ variables, listed: undefined });
    const lookUp = (name: string, isPrivate: boolean) =>
      lookUpSecrets({ find: () => environment, isPrivate }, document(name), { id: "usr_1", name: "ada" });
    expect(await lookUp("KEY", true)).toEqual({ values: { KEY: "y" } });
    expect(await lookUp("SLIPWAY_MASTER_KEY", true)).toMatchObject({ code: "secret_missing" });
    expect(await lookUp("KEY", false)).toMatchObject({ code: "secret_missing" });
  });
});
