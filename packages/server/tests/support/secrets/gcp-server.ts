import { generateKeyPairSync, verify } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Heard, type Said, startOthersServer } from "../others-server.ts";
import { whenDone } from "../when-done.ts";

const account = generateKeyPairSync("rsa", { modulusLength: 2048 });
async function writeKey(file: string, { privateKey }: typeof account): Promise<string> {
  const key = {
    type: "service_account",
    project_id: "shop-1",
    private_key_id: "1",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    client_email: "slipway@shop-1.iam.gserviceaccount.com",
  };
  await writeFile(file, JSON.stringify(key), { mode: 0o600 });
  return file;
}

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

/** Google's Secret Manager on this machine, how an operator declares it, and the key of somebody else. */
export async function startGcp() {
  const folder = await mkdtemp(join(tmpdir(), "slipway-gcp-"));
  whenDone(() => rm(folder, { recursive: true, force: true }));
  const { url } = await startOthersServer(answer);
  const key_file = await writeKey(join(folder, "key.json"), account);
  const declared = { kind: "gcp-secret-manager", project: "shop-1", url, key_file };
  const writeStranger = () =>
    writeKey(join(folder, "stranger.json"), generateKeyPairSync("rsa", { modulusLength: 2048 }));
  return { declared, folder, writeStranger };
}
