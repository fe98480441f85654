import { describe, expect, test } from "vitest";
import { askingProviders, missingLines } from "../../support/secrets/ask-provider.ts";
import { azureEnvironment, startAzure } from "../../support/secrets/azure-server.ts";

const ask = askingProviders();
const declared = await startAzure();
const name = declared.kind;
/** Short only where nothing ever comes: a busy machine needs its time. */
const timeoutFor = (secrets: object) => (JSON.stringify(secrets).includes("SLOW") ? 300 : 30_000);
const lookUp = (secrets: object, more: object = {}, env: NodeJS.ProcessEnv = azureEnvironment) =>
  ask({ declared: { ...declared, ...more }, environment: env, timeoutMs: timeoutFor(secrets), secrets });

describe("Azure Key Vault", () => {
  test("serves secrets by name, with dashes, and names all that are missing", async () => {
    expect(await lookUp({ required: ["DATABASE_URL", "KEY"], optional: ["MAYBE"] })).toEqual({
      values: { DATABASE_URL: "postgres://sesame", KEY: "sesame" },
    });
    expect(await lookUp({ required: ["A", "KEY", "B_C", "../KEY"] })).toMatchObject({
      code: "secret_missing",
      message: expect.stringContaining(missingLines(name, "A", "B_C", "../KEY")),
    });
  });

  test("has the document's path below the operator's; a secret may be a map", async () => {
    const secrets = { provider: `${name}://shop`, required: ["KEY"] };
    expect(await lookUp(secrets, { path: "teams" })).toEqual({ values: { KEY: "of the shop" } });
    expect(await lookUp(secrets, { path: "teams", format: "json" })).toEqual({ values: { KEY: "from the map" } });
  });

  test.each([
    ["DENIED", "it refused the operator's credentials (403).", false],
    ["BROKEN", "it refused the request (InternalServerError).", true],
    ["SLOW", "it did not answer within 0.3 s.", true],
  ])("that answers %s is told with its reason", async (required, why, isTransient) => {
    expect(await lookUp({ required: [required] })).toEqual({
      code: "secret_provider",
      message: `Unable to authenticate with secret provider '${name}': ${why}`,
      isTransient,
    });
  });

  test("that refuses the client is told without its secret", async () => {
    const wrong = await lookUp({ required: ["KEY"] }, {}, { CLIENT_SECRET: "wrong-secret" });
    expect(wrong).toMatchObject({ message: expect.stringContaining("it refused the operator's credentials") });
    expect(JSON.stringify(wrong)).not.toContain("wrong-secret");
    expect(await lookUp({ required: ["KEY"] }, {}, {})).toMatchObject({
      message: expect.stringContaining("the variable CLIENT_SECRET is not set"),
    });
  });
});
