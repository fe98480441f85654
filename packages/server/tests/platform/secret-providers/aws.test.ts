import { describe, expect, test } from "vitest";
import { askingProviders, missingLines } from "../../support/secrets/ask-provider.ts";
import { awsEnvironment as environment, startAws } from "../../support/secrets/aws-server.ts";

const ask = askingProviders();
const { server, declared } = await startAws();
const name = declared.kind;
/** Short only where nothing ever comes: a busy machine needs its time. */
const timeoutFor = (secrets: object) => (JSON.stringify(secrets).includes("SLOW") ? 300 : 30_000);
const lookUp = (secrets: object, more: object = {}, env: NodeJS.ProcessEnv = environment) =>
  ask({ declared: { ...declared, ...more }, environment: env, timeoutMs: timeoutFor(secrets), secrets });

describe("AWS Secrets Manager", () => {
  test("serves secrets by name, and names all that are missing", async () => {
    expect(await lookUp({ required: ["KEY", "BYTES"], optional: ["MAYBE"] })).toEqual({
      values: { KEY: "sesame", BYTES: "in bytes" },
    });
    expect(await lookUp({ required: ["A", "KEY", "B"] })).toMatchObject({
      code: "secret_missing",
      message: expect.stringContaining(missingLines(name, "A", "B")),
    });
    expect(await lookUp({ required: ["BAD"] })).toMatchObject({ message: expect.stringContaining("is not a text") });
  });

  test("has the document's path below the operator's; a secret may be a map", async () => {
    const provider = `${name}://shop`;
    const required = ["KEY"];
    expect(await lookUp({ provider, required }, { path: "teams" })).toEqual({ values: { KEY: "of the shop" } });
    expect(await lookUp({ provider, required: ["KEY", "PORT"] }, { path: "teams", format: "json" })).toEqual({
      values: { KEY: "from the map", PORT: "5432" },
    });
    expect(await lookUp({ provider, required: ["A"] }, { path: "teams", format: "json" })).toMatchObject({
      code: "secret_missing",
    });
  });

  test("is asked in a region that the operator declared, and in no other", async () => {
    await lookUp({ required: ["KEY"], region: "us-east-1" });
    expect(server.heard.at(-1)?.headers.authorization).toContain("/us-east-1/");
    const before = server.heard.length;
    expect(await lookUp({ required: ["KEY"], region: "mars-north-1" })).toMatchObject({
      message: `Unable to authenticate with secret provider '${name}': the operator has not declared the region 'mars-north-1'; there are eu-west-1, us-east-1.`,
    });
    expect(server.heard).toHaveLength(before);
  });

  test.each([
    ["DENIED", "it refused the request (AccessDeniedException, 400).", false],
    ["BROKEN", "it refused the request (InternalServiceError, 500).", true],
    ["SLOW", "it did not answer within 0.3 s.", true],
  ])("that answers %s is told with its reason", async (required, why, isTransient) => {
    expect(await lookUp({ required: [required] })).toEqual({
      code: "secret_provider",
      message: `Unable to authenticate with secret provider '${name}': ${why}`,
      isTransient,
    });
  });

  test("that refuses the key, or has none, is told without it", async () => {
    const wrong = await lookUp({ required: ["KEY"] }, {}, { ...environment, KEY_SECRET: "wrong-secret" });
    expect(wrong).toMatchObject({ message: expect.stringContaining("InvalidSignatureException") });
    expect(JSON.stringify(wrong)).not.toContain("wrong-secret");
    expect(await lookUp({ required: ["KEY"] }, {}, {})).toMatchObject({
      message: expect.stringContaining("the variable KEY_ID is not set"),
    });
  });
});
