import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { askingProviders, missingLines } from "../../support/secrets/ask-provider.ts";
import { startGcp } from "../../support/secrets/gcp-server.ts";

const ask = askingProviders();
const { declared, folder, writeStranger } = await startGcp();
const name = declared.kind;
/** Short only where nothing ever comes: a busy machine needs its time. */
const timeoutFor = (secrets: object) => (JSON.stringify(secrets).includes("SLOW") ? 300 : 30_000);
const lookUp = (secrets: object, more: object = {}) =>
  ask({ declared: { ...declared, ...more }, timeoutMs: timeoutFor(secrets), secrets });

describe("Google Cloud Secret Manager", () => {
  test("serves secrets by name, and names all that are missing", async () => {
    expect(await lookUp({ required: ["KEY"], optional: ["MAYBE"] })).toEqual({ values: { KEY: "sesame" } });
    expect(await lookUp({ required: ["A", "KEY", "B", "../KEY"] })).toMatchObject({
      code: "secret_missing",
      message: expect.stringContaining(missingLines(name, "A", "B", "../KEY")),
    });
  });

  test("has the document's path below the operator's; a secret may be a map", async () => {
    const secrets = { provider: `${name}://shop`, required: ["KEY"] };
    expect(await lookUp(secrets, { path: "teams" })).toEqual({ values: { KEY: "of the shop" } });
    expect(await lookUp(secrets, { path: "teams", format: "json" })).toEqual({ values: { KEY: "from the map" } });
  });

  test.each([
    ["DENIED", "it refused the operator's credentials (403).", false],
    ["BROKEN", "it answered with the status 503.", true],
    ["SLOW", "it did not answer within 0.3 s.", true],
  ])("that answers %s is told with its reason", async (required, why, isTransient) => {
    expect(await lookUp({ required: [required] })).toEqual({
      code: "secret_provider",
      message: `Unable to authenticate with secret provider '${name}': ${why}`,
      isTransient,
    });
  });

  test("that refuses the key, or whose key is gone, is told without it", async () => {
    const key_file = await writeStranger();
    expect(await lookUp({ required: ["KEY"] }, { key_file })).toMatchObject({
      message: expect.stringContaining("it refused the operator's credentials (401)"),
    });
    const gone = await lookUp({ required: ["KEY"] }, { key_file: join(folder, "gone.json") });
    expect(gone).toMatchObject({ message: expect.stringContaining("do not work (ENOENT)") });
    expect(JSON.stringify(gone)).not.toContain("gone.json");
  });
});
