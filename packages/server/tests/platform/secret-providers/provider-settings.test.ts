import { describe, expect, test } from "vitest";
import { checkSecretProviders } from "../../../src/app/doctor/check-secret-providers.ts";
import { readProviderSettings } from "../../../src/platform/secret-providers/index.ts";

const read = (...entries: unknown[]) => readProviderSettings(entries, "slipway.yaml");

describe("secret_providers of the config file", () => {
  test("declare each kind, named like its kind unless told otherwise", () => {
    const settings = read(
      { kind: "file", path: "/etc/slipway/shop.env", names: ["KEY"], owners: ["ada"] },
      { kind: "kubernetes", path: "/run/secrets" },
      { kind: "vault", url: "https://vault.example:8200/", token_env: "VAULT_TOKEN", path: "teams" },
      { kind: "aws-secrets-manager", regions: ["eu-west-1", "us-gov-east-1"] },
      { kind: "gcp-secret-manager", project: "shop-1" },
      { kind: "azure-key-vault", url: "https://shop.vault.azure.net" },
      { kind: "exec", name: "pass", command: ["pass", "show", "{name}"] },
    );
    expect(settings.map(({ name }) => name)).toEqual([
      ...["file", "kubernetes", "vault", "aws-secrets-manager", "gcp-secret-manager", "azure-key-vault", "pass"],
    ]);
    expect(settings[2]).toMatchObject({
      url: "https://vault.example:8200",
      mount: "secret",
      credentials: { is: "token", tokenEnv: "VAULT_TOKEN" },
    });
  });

  test.each([
    [{ kind: "s3" }, "kind in slipway.yaml must be one of"],
    [{ kind: "file", path: "shop.env" }, "path in slipway.yaml must be an absolute path"],
    [{ kind: "file", path: "/x", name: "environment" }, "every service has these providers"],
    [{ kind: "file", path: "/x", name: "slipway" }, "every service has these providers"],
    [{ kind: "file", path: "/x", url: "https://x.example" }, "url in slipway.yaml is not a key of"],
    [{ kind: "vault", url: "https://x:y@vault.example", token_env: "T" }, "must not contain credentials"],
    [{ kind: "vault", url: "https://vault.example" }, "needs 'token_env', or both 'role_id_env' and 'secret_id_env'"],
    [{ kind: "vault", url: "https://vault.example", role_id_env: "R" }, "'role_id_env' and 'secret_id_env' together"],
    [{ kind: "vault", url: "https://vault.example", token_env: "SLIPWAY_MASTER_KEY" }, "and not of SLIPWAY_"],
    [{ kind: "aws-secrets-manager" }, "regions in slipway.yaml must list at least one region"],
    [{ kind: "azure-key-vault", url: "https://x.example", tenant_id: "t" }, "together, or none of them"],
    [{ kind: "exec", command: ["{name}"] }, "must be a list of a program and its arguments"],
    [{ kind: "exec", command: "pass show {name}" }, "command in slipway.yaml must be a list"],
  ])("that are wrong are named: %j", (entry, message) => {
    expect(() => read(entry)).toThrow(message);
  });

  test("are checked by 'slipway doctor', with the variables they need", () => {
    const declared = [
      { kind: "vault", url: "https://vault.example", role_id_env: "ROLE", secret_id_env: "SECRET" },
      { kind: "file", path: "/x" },
    ];
    const secretProviders = { declared, file: "slipway.yaml" };
    expect([...checkSecretProviders({ secretProviders }, { ROLE: "x" })]).toMatchObject([
      { name: "secret provider 'vault'", status: "warning", message: "not set in this environment: SECRET" },
      { name: "secret provider 'file'", status: "ok" },
    ]);
    const wrong = { declared: [{ kind: "s3" }], file: "slipway.yaml" };
    expect([...checkSecretProviders({ secretProviders: wrong }, {})]).toMatchObject([{ status: "failed" }]);
  });

  test("never have a value in a message, and no two one name", () => {
    const twice = { kind: "file", path: "/x" };
    expect(() => read(twice, twice)).toThrow("two have the name 'file'");
    expect(() => read({ kind: "vault", url: "https://v.example", token_env: "hvs.sesame!" })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("sesame") }),
    );
  });
});
