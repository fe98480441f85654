import { generateKeyPairSync, verify } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Heard, type Said, startOthersServer } from "../../support/others-server.ts";
import { askingProviders, missingLines } from "../../support/secrets/ask-provider.ts";

const ask = askingProviders();
const folder = await mkdtemp(join(tmpdir(), "slipway-gcp-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
const account = generateKeyPairSync("rsa", { modulusLength: 2048 });
const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 });
const keyFile = async (name: string, { privateKey }: typeof account) => {
  const file = join(folder, name);
  const key = {
    type: "service_account",
    project_id: "shop-1",
    private_key_id: "1",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    client_email: "slipway@shop-1.iam.gserviceaccount.com",
  };
  await writeFile(file, JSON.stringify(key), { mode: 0o600 });
  return file;
};

const kept: Readonly<Record<string, string>> = {
  KEY: "sesame",
  "teams-shop-KEY": "of the shop",
  "teams-shop": JSON.stringify({ KEY: "from the map" }),
};

/** As Google's API answers, to tokens that the account's key has signed. */
function answer({ headers, path }: Heard): Said | undefined {
  if (!isSigned(headers.authorization ?? "")) return { status: 401, body: { error: { code: 401 } } };
  const id = /^\/v1\/projects\/shop-1\/secrets\/([^/]+)\/versions\/latest:access$/.exec(path)?.[1] ?? "";
  if (id === "DENIED") return { status: 403, body: { error: { code: 403, status: "PERMISSION_DENIED" } } };
  if (id === "SLOW") return undefined;
  if (id === "BROKEN") return { status: 503 };
  const value = kept[id];
  if (value === undefined) return { status: 404, body: { error: { code: 404, status: "NOT_FOUND" } } };
  return { status: 200, body: { payload: { data: Buffer.from(value).toString("base64") } } };
}

function isSigned(authorization: string): boolean {
  const [head = "", claims = "", signature = ""] = authorization.replace(/^Bearer /, "").split(".");
  const { scope } = JSON.parse(Buffer.from(claims, "base64url").toString() || "{}") as { scope?: string };
  const bytes = Buffer.from(signature, "base64url");
  return (
    scope === "https://www.googleapis.com/auth/cloud-platform" &&
    verify("sha256", Buffer.from(`${head}.${claims}`), account.publicKey, bytes)
  );
}

const server = await startOthersServer(answer);
const name = "gcp-secret-manager";
const declared = { kind: name, project: "shop-1", url: server.url, key_file: await keyFile("key.json", account) };
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
    const key_file = await keyFile("stranger.json", stranger);
    expect(await lookUp({ required: ["KEY"] }, { key_file })).toMatchObject({
      message: expect.stringContaining("it refused the operator's credentials (401)"),
    });
    const gone = await lookUp({ required: ["KEY"] }, { key_file: join(folder, "gone.json") });
    expect(gone).toMatchObject({ message: expect.stringContaining("do not work (ENOENT)") });
    expect(JSON.stringify(gone)).not.toContain("gone.json");
  });
});
