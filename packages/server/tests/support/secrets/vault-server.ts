import { type Heard, type Said, startOthersServer } from "../others-server.ts";

const token = "hvs.CAESIJsesame";
const kept: Readonly<Record<string, object>> = {
  "/v1/secret/data/teams/shop": { KEY: "sesame", PORT: 5432, MAP: { a: 1 } },
  "/v1/kv/data/root/teams/shop": { KEY: "of the root" },
};

let revocations = 0;

/** As Vault answers: by the KV engine's version 2, and AppRole. */
function answer({ path, headers, body, method }: Heard): Said | undefined {
  if (method === "POST" && path === "/v1/auth/approle/login") {
    const isKnown = body["role_id"] === "role" && body["secret_id"] === "sesame-id";
    if (!isKnown) return { status: 400, body: { errors: ["invalid role or secret ID"] } };
    return { status: 200, body: { auth: { client_token: token, lease_duration: 3600 } } };
  }
  if (headers["x-vault-token"] !== token) return { status: 403, body: { errors: ["permission denied", token] } };
  if (path.endsWith("/revoking")) {
    revocations += 1;
    // The second read finds the token revoked.
    if (revocations === 2) return { status: 403 };
    return { status: 200, body: { data: { data: { KEY: "after the second login" } } } };
  }
  if (path.endsWith("/slow")) return undefined;
  if (path.endsWith("/sealed")) return { status: 503, body: { errors: ["Vault is sealed"] } };
  if (path.endsWith("/proxy")) return { status: 200, body: "<html>" };
  if (path.endsWith("/moved")) return { status: 307, headers: { location: "http://127.0.0.1:1/" } };
  if (path.endsWith("/deleted")) return { status: 404, body: { data: { data: null, metadata: {} } } };
  const data = kept[path];
  return data === undefined ? { status: 404, body: { errors: [] } } : { status: 200, body: { data: { data } } };
}

/** Vault on this machine, how an operator declares it, and what is in the operator's environment. */
export async function startVault() {
  const server = await startOthersServer(answer);
  const declared = { kind: "vault", url: server.url, token_env: "VAULT_TOKEN" };
  return { server, declared, environment: { VAULT_TOKEN: token } };
}
