import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { whenDone } from "../when-done.ts";

/** The client that may ask. */
export const azureEnvironment = { CLIENT_SECRET: "sesame-of-the-client" };
const token = "token-of-the-client";
const kept: Readonly<Record<string, string>> = {
  "DATABASE-URL": "postgres://sesame",
  KEY: "sesame",
  "teams-shop-KEY": "of the shop",
  "teams-shop": JSON.stringify({ KEY: "from the map" }),
};

/** As Microsoft's sign-in and Key Vault answer. Their SDK speaks to nobody without TLS. */
function answer(origin: string, path: string, body: string, authorization: string | undefined) {
  const { pathname } = new URL(path, origin);
  if (pathname === "/tenant-1/v2.0/.well-known/openid-configuration") {
    const at = (name: string) => `${origin}/tenant-1/oauth2/v2.0/${name}`;
    const endpoints = { token_endpoint: at("token"), authorization_endpoint: at("authorize"), jwks_uri: at("keys") };
    return { status: 200, body: { issuer: `${origin}/tenant-1/v2.0`, ...endpoints } };
  }
  if (pathname === "/tenant-1/oauth2/v2.0/token") {
    const asked = new URLSearchParams(body);
    const isKnown =
      asked.get("client_id") === "client-1" && asked.get("client_secret") === azureEnvironment.CLIENT_SECRET;
    if (!isKnown) return { status: 401, body: { error: "invalid_client", error_description: `AADSTS7000215 ${body}` } };
    return { status: 200, body: { token_type: "Bearer", expires_in: 3600, access_token: token } };
  }
  if (authorization !== `Bearer ${token}`) {
    const challenge = `Bearer authorization="${origin}/tenant-1", resource="https://vault.azure.net"`;
    return { status: 401, body: { error: { code: "Unauthorized" } }, headers: { "www-authenticate": challenge } };
  }
  const id = /^\/secrets\/([^/]+)\/?$/.exec(pathname)?.[1] ?? "";
  if (id === "SLOW") return undefined;
  if (id === "DENIED") return { status: 403, body: { error: { code: "Forbidden", message: "object 1 of tenant-1" } } };
  if (id === "BROKEN") return { status: 500, body: { error: { code: "InternalServerError" } } };
  const value = kept[id];
  if (value === undefined) return { status: 404, body: { error: { code: "SecretNotFound", message: "none" } } };
  return { status: 200, body: { value, id: `${origin}/secrets/${id}/1`, attributes: { enabled: true } } };
}

/** Azure Key Vault on this machine, and how an operator declares it. */
export async function startAzure() {
  const folder = await mkdtemp(join(tmpdir(), "slipway-azure-"));
  const file = (name: string) => join(folder, name);
  execFileSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
    ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
    ...["-keyout", file("key.pem"), "-out", file("cert.pem")],
  ]);
  const [key, cert] = await Promise.all([readFile(file("key.pem")), readFile(file("cert.pem"), "utf8")]);
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, cert]);
  const server = createServer({ key, cert }, async (request, response) => {
    const said = answer(url, request.url ?? "", await text(request), request.headers.authorization);
    if (said === undefined) return;
    response.writeHead(said.status, { "content-type": "application/json", ...said.headers });
    response.end(JSON.stringify(said.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  whenDone(async () => {
    setDefaultCACertificates(before);
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    ...{ kind: "azure-key-vault", url, authority: url },
    ...{ tenant_id: "tenant-1", client_id: "client-1", client_secret_env: "CLIENT_SECRET" },
  };
}
