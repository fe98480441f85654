import { acceptanceLines, parseSpec, resolveSpec } from "@slipway/spec";
import { expect, test } from "vitest";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { checkCommands } from "../../../src/verification/probes/check-commands.ts";
import { sandboxFor } from "../../support/sandboxes.ts";

const secret = "Zebra7Quux9Kilo3Mango5Delta1Oscar8Tango2Yankee";

/** The verdict on the format of what a command prints, as it is told. */
async function formatOf(command: string) {
  const { sandbox, folder } = sandboxFor("plain");
  const text = { spec_version: "1.0.0", id: "a", name: "A", description: "d", outcome_type: "cli", stack: {} };
  const acceptance = { commands: [{ command, output_format: "json" }] };
  const { document } = resolveSpec(parseSpec(JSON.stringify({ ...text, acceptance })).document!);
  const [, verdict] = await checkCommands(
    sandbox,
    {
      ...{ document, folder, signal: new AbortController().signal, secrets: { TOP: secret } },
      openLog: () => ({ write: () => undefined, end: () => undefined }),
    },
    acceptanceLines(document),
  );
  return { ...verdict!, reason: await new Masker([secret]).maskInSlices(verdict!.reason) };
}

test.each(["$TOP", '{"a":$TOP}', "x $TOP", '{"a":1} $TOP'])(
  "output that is no JSON is quoted without a part of a secret: %s",
  async (printed) => {
    const { verdict, reason } = await formatOf(`printf '%s' "${printed.replaceAll('"', '\\"')} ${"x".repeat(100)}"`);
    expect(verdict).toBe("failed");
    expect(reason).toContain("not valid JSON");
    expect(reason).not.toContain(secret.slice(0, 4));
  },
);

test("where output stops being JSON is told, as far as it is known", async () => {
  expect((await formatOf(`printf '{"a":1} b'`)).reason).toContain("line 1 column 9");
  expect((await formatOf("true")).reason).toContain("it is empty");
});
