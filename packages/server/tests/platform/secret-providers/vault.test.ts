import { describe, expect, test } from "vitest";
import { freePort } from "../../../../../tools/free-port.ts";
import { askingProviders, missingLines } from "../../support/secrets/ask-provider.ts";
import { startVault } from "../../support/secrets/vault-server.ts";

const ask = askingProviders();
const { server, declared, environment } = await startVault();
const required = ["KEY"];
const at = (provider: string, more: object = {}) =>
  ask({
    declared,
    environment,
    timeoutMs: provider === "vault://slow" ? 300 : 30_000,
    secrets: { provider, required, ...more },
  });

describe("Vault", () => {
  test("serves the keys of the secret at the document's path", async () => {
    expect(await at("vault://teams/shop", { required: ["KEY", "PORT"], optional: ["MAYBE"] })).toEqual({
      values: { KEY: "sesame", PORT: "5432" },
    });
    expect(await at("vault", { config: { path: "teams/shop" } })).toEqual({ values: { KEY: "sesame" } });
  });

  test("has the document's path below the operator's, in the operator's engine and namespace", async () => {
    const rooted = { ...declared, mount: "kv", path: "root", namespace: "acme" };
    const secrets = { provider: "vault://teams/shop", required };
    expect(await ask({ declared: rooted, environment, secrets })).toEqual({ values: { KEY: "of the root" } });
    expect(server.heard.at(-1)).toMatchObject({ headers: { "x-vault-namespace": "acme" } });
    for (const provider of ["vault", "vault://../shop", "vault://teams/%2e%2e/x", "vault://a?b", "vault://a#b"]) {
      const before = server.heard.length;
      expect(await at(provider), provider).toMatchObject({ code: "secret_provider" });
      expect(server.heard).toHaveLength(before);
    }
  });

  test("names all that are missing, whether the secret or its keys are", async () => {
    const message = expect.stringContaining(missingLines("vault", "A", "B"));
    for (const path of ["teams/shop", "nothing/here", "deleted"])
      expect(await at(`vault://${path}`, { required: ["A", "B"] })).toMatchObject({ code: "secret_missing", message });
  });

  test.each([
    ["moved", "it answered with the status 307.", false],
    ["sealed", "it answered with the status 503.", true],
    ["proxy", "its answer is not JSON.", false],
    ["slow", "it did not answer within 0.3 s.", true],
  ])("that is %s is told with its reason", async (path, why, isTransient) => {
    expect(await at(`vault://${path}`)).toEqual({
      code: "secret_provider",
      message: `Unable to authenticate with secret provider 'vault': ${why}`,
      isTransient,
    });
  });

  test("that refuses, or cannot be reached, is told without the credential", async () => {
    const secrets = { provider: "vault://teams/shop", required };
    const wrong = await ask({ declared, environment: { VAULT_TOKEN: "hvs.wrong-one" }, secrets });
    expect(wrong).toMatchObject({
      message: expect.stringContaining("refused the operator's credentials for this path (403)"),
    });
    const odd = await ask({ declared, environment: { VAULT_TOKEN: "hvs.wrong-one\n" }, secrets });
    expect(JSON.stringify([wrong, odd])).not.toContain("wrong-one");
    const unset = await ask({ declared, secrets });
    expect(unset).toMatchObject({ message: expect.stringContaining("the variable VAULT_TOKEN is not set") });
    const nobody = await ask({
      declared: { ...declared, url: `http://127.0.0.1:${await freePort()}` },
      environment,
      secrets,
    });
    expect(nobody).toMatchObject({
      message: expect.stringContaining("cannot be reached (ECONNREFUSED)"),
      isTransient: true,
    });
    const map = await at("vault://teams/shop", { required: ["MAP"] });
    expect(map).toMatchObject({ message: expect.stringContaining("its secret 'MAP' is not a text") });
  });

  test("is signed in to by AppRole", async () => {
    const approle = { kind: "vault", url: server.url, role_id_env: "ROLE", secret_id_env: "SECRET" };
    const secrets = { provider: "vault://teams/shop", required };
    const good = { ROLE: "role", SECRET: "sesame-id" };
    expect(await ask({ declared: approle, environment: good, secrets })).toEqual({ values: { KEY: "sesame" } });
    const logins = () => server.heard.filter(({ path }) => path.endsWith("/login")).length;
    const before = logins();
    await ask({ declared: approle, environment: good, secrets, times: 3 });
    expect(logins() - before).toBe(1);
    const revoked = { ...secrets, provider: "vault://teams/revoking" };
    expect(await ask({ declared: approle, environment: good, secrets: revoked, times: 2 })).toEqual({
      values: { KEY: "after the second login" },
    });
    expect(logins() - before).toBe(3);
    const refused = await ask({ declared: approle, environment: { ...good, SECRET: "other-id" }, secrets });
    expect(refused).toMatchObject({
      message: expect.stringContaining("refused the role id and secret id of the operator's AppRole (400)"),
    });
    expect(JSON.stringify(refused)).not.toContain("other-id");
  });
});
