import { createHash, createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Heard, type Said, startOthersServer } from "../../support/others-server.ts";
import { askingProviders, missingLines } from "../../support/secrets/ask-provider.ts";

const ask = askingProviders();
const environment = { KEY_ID: "AKIDEXAMPLE", KEY_SECRET: "sesame-of-the-account" };
const kept: Readonly<Record<string, object>> = {
  KEY: { SecretString: "sesame" },
  "teams/shop/KEY": { SecretString: "of the shop" },
  "teams/shop": { SecretString: JSON.stringify({ KEY: "from the map", PORT: 5432 }) },
  BYTES: { SecretBinary: Buffer.from("in bytes").toString("base64") },
  BAD: { SecretBinary: Buffer.from([0xff, 0xfe]).toString("base64") },
};

/** As AWS Secrets Manager answers, to requests that are signed with the account's key. */
function answer(heard: Heard): Said | undefined {
  const { headers, body } = heard;
  if (!isSigned(heard)) return problem(400, "InvalidSignatureException");
  if (headers["x-amz-target"] !== "secretsmanager.GetSecretValue") return problem(400, "UnknownOperationException");
  const id = String(body["SecretId"]);
  if (id === "DENIED") return problem(400, "AccessDeniedException", "arn:aws:iam::1:user/ada may not");
  if (id === "SLOW") return undefined;
  if (id === "BROKEN") return problem(500, "InternalServiceError");
  const found = kept[id];
  if (found === undefined) return problem(400, "ResourceNotFoundException");
  return { status: 200, headers: { "content-type": "application/x-amz-json-1.1" }, body: { Name: id, ...found } };
}

function problem(status: number, type: string, message = "no"): Said {
  return { status, headers: { "content-type": "application/x-amz-json-1.1" }, body: { __type: type, message } };
}

/** Computes the signature (version 4) once more. */
function isSigned({ headers, body, path, method }: Heard): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d+)\/([\w-]+)\/secretsmanager\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w+)$/;
  const [, id, day = "", region = "", names = "", signature] = form.exec(headers.authorization ?? "") ?? [];
  if (id !== environment.KEY_ID) return false;
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const signed = names.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const request = [method, path, "", ...[signed.join("")], names, hash(JSON.stringify(body))].join("\n");
  const scope = `${day}/${region}/secretsmanager/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash(request)].join("\n");
  const key = [day, region, "secretsmanager", "aws4_request"].reduce<string | Buffer>(
    (before, part) => hmac(before, part),
    `AWS4${environment.KEY_SECRET}`,
  );
  return hmac(key, text).toString("hex") === signature;
}

const server = await startOthersServer(answer);
const declared = {
  kind: "aws-secrets-manager",
  regions: ["eu-west-1", "us-east-1"],
  url: server.url,
  access_key_id_env: "KEY_ID",
  secret_access_key_env: "KEY_SECRET",
};
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
