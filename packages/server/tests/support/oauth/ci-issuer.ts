import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { whenDone } from "../when-done.ts";

/** A CI service that signs ID tokens for its jobs, on this machine. */
export async function startCiIssuer() {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "RS256", use: "sig" };
  const issuer = { url: "", isDown: false, asked: 0, publicJwk, privateKey, sign };
  const server = createServer((request, response) => {
    issuer.asked += 1;
    const isMetadata = request.url === "/.well-known/openid-configuration";
    const metadata = { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` };
    response.writeHead(issuer.isDown ? 503 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isMetadata ? metadata : { keys: [publicJwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenDone(() => {
    server.closeAllConnections();
    server.close();
  });
  issuer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let tokens = 0;

  /** A token as GitHub Actions makes them; undefined takes a claim away. */
  async function sign(
    now: Date,
    claims: Readonly<Record<string, unknown>> = {},
    { header = {}, key = privateKey } = {},
  ): Promise<string> {
    tokens += 1;
    const seconds = Math.floor(now.getTime() / 1000);
    return new SignJWT({
      ...{ iss: issuer.url, aud: "https://slipway.example.com", sub: "repo:acme/shop:ref:refs/heads/main" },
      ...{ iat: seconds, nbf: seconds - 5, exp: seconds + 300, jti: `token-${tokens}` },
      ...{ repository: "acme/shop", ref: "refs/heads/main", run_attempt: 1 },
      ...claims,
    })
      .setProtectedHeader({ alg: "RS256", kid: "one", typ: "JWT", ...header })
      .sign(key);
  }
  return issuer;
}
