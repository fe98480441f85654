import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { declaredAgent, readAgentSettings } from "../../../src/agents/registry/index.ts";
import { scriptedAgent } from "../../support/engine/scripted-agent.ts";
import { noBubblewrap, sandboxFor } from "../../support/sandboxes.ts";

test.skipIf(noBubblewrap !== undefined)(
  "a probe does not make its program the owner of everybody's files",
  async () => {
    const { sandbox, place } = sandboxFor("bubblewrap");
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = place;
    onTestFinished(() => {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    });
    writeFileSync(join(place, "of-somebody"), "");
    const [settings] = readAgentSettings([{ name: "hello", kind: "acp", command: "true" }], "agents");
    const { driver } = declaredAgent(settings!, { sandbox, dial: fetch, environment: {}, blueprint: scriptedAgent() });
    expect(await driver.probe(new AbortController().signal)).toMatchObject({ isUsable: false });
    for (const path of [place, join(place, "of-somebody")]) expect(statSync(path).uid).toBe(process.getuid?.());
  },
);
