import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { declaredAgent, readAgentSettings } from "../../../src/agents/registry/index.ts";
import { scriptedAgent } from "../../support/engine/scripted-agent.ts";
import { noBubblewrap, sandboxFor, ways } from "../../support/sandboxes.ts";

const never = new AbortController().signal;

/** An agent whose program is this script of a shell. */
function agentOf(way: "bubblewrap" | "plain", script: string, more: object = {}) {
  const { sandbox, place } = sandboxFor(way);
  const command = join(place, "agent.sh");
  writeFileSync(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const [settings] = readAgentSettings([{ name: "hello", kind: "acp", command, ...more }], "agents");
  return declaredAgent(settings!, { sandbox, dial: fetch, environment: {}, blueprint: scriptedAgent() }).driver;
}

test.for(ways)("a probe that breaks a limit says which one (%s)", async (way) => {
  const driver = agentOf(way, "i=0; while [ $i -lt 80 ]; do sleep 1000 & i=$((i+1)); done; wait");
  expect(await driver.probe(never)).toMatchObject({
    isUsable: false,
    reason: expect.stringMatching(
      /did not answer as an agent: Process killed due to process limit exceeded\. Agent started \d+ processes, limit was 64\./,
    ),
  });
});

test.skipIf(noBubblewrap !== undefined)("a probe reads what the agent may read", async () => {
  const { place } = sandboxFor("plain");
  const library = join(place, "library.sh");
  writeFileSync(library, "echo found >&2\n", { mode: 0o644 });
  const driver = agentOf("bubblewrap", `. ${library}`, { reads: [library] });
  expect(await driver.probe(never)).toMatchObject({ reason: expect.stringContaining("Its last output: found") });
});

test.for(ways)("nothing of a probe is left when it tells its result (%s)", async (way) => {
  // Others make folders in that of all.
  const { place } = sandboxFor("plain");
  vi.stubEnv("TMPDIR", place);
  onTestFinished(() => void vi.unstubAllEnvs());
  const driver = agentOf(way, "mkdir $TMPDIR/a; exit 1");
  await driver.probe(never);
  expect(readdirSync(place).filter((name) => name.startsWith("slipway-run-"))).toEqual([]);
});
