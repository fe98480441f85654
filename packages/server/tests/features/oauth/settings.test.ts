import { describe, expect, test } from "vitest";
import { readOauthSettings } from "../../../src/features/oauth/settings.ts";

const github = {
  provider: "github",
  client_id: "one",
  client_secret: "{{secrets.GITHUB_SECRET}}",
  scopes: ["read:user", "read:org"],
  organization: "Acme",
  role_mapping: { admin: "svc:admin", developer: "svc:user", viewer: "svc:readonly" },
};
const { organization: _, ...rest } = github;
const custom = { ...rest, provider: "custom", issuer: "https://id.example" };
const read = (value: unknown) => readOauthSettings(value, "slipway.yaml");

describe("oauth in the config", () => {
  test("declares one provider, or several", () => {
    const [one] = read(github);
    expect(one).toMatchObject({ kind: "github", name: "github", label: "GitHub", scopes: ["read:user", "read:org"] });
    expect([...one!.roleMapping]).toEqual([
      ["acme/admin", "svc:admin"],
      ["acme/developer", "svc:user"],
      ["acme/viewer", "svc:readonly"],
    ]);
    expect(read([github, custom, { ...custom, name: "partners" }]).map(({ name }) => name)).toEqual([
      ...["github", "custom", "partners"],
    ]);
    expect(read(undefined)).toEqual([]);
  });

  const wrong: Readonly<Record<string, readonly [unknown, string]>> = {
    "a provider that is unknown": [{ ...github, provider: "gitlab" }, "oauth.provider in slipway.yaml must be one of"],
    "no client": [{ ...custom, client_id: undefined }, "oauth.client_id in slipway.yaml is missing."],
    "a key that is unknown": [{ ...github, tenant: "x" }, "oauth.tenant in slipway.yaml is not a key of a github"],
    "a role that is unknown": [
      { ...custom, role_mapping: { a: "admin" } },
      "oauth.role_mapping.a in slipway.yaml must be",
    ],
    "no roles": [{ ...custom, role_mapping: {} }, "must map roles, groups or teams to svc:admin"],
    "a team of any organisation": [{ ...github, organization: undefined }, "must be '<organisation>/<team>'"],
    "a group that nobody reads": [
      { ...custom, provider: "google", hosted_domain: "b.example", role_mapping: { "a@b.example": "svc:user" } },
      "is a group: set 'directory'",
    ],
    "everybody's tenant": [
      { ...custom, provider: "azure", issuer: undefined, tenant: "common" },
      "oauth.tenant in slipway.yaml must be the id of your tenant",
    ],
    "no issuer": [{ ...custom, issuer: undefined }, "oauth.issuer in slipway.yaml is missing"],
    "tokens that anybody can read": [{ ...custom, issuer: "http://id.example" }, "must begin with https://"],
    "half a reference": [{ ...custom, client_secret: "a{{secrets.X}}" }, "exactly one reference such as"],
    "two of a name": [[custom, custom], "has two providers named 'custom': give one of them another 'name'."],
    "no map": ["github", "oauth in slipway.yaml must be a map"],
  };

  test.each(Object.entries(wrong))("is refused with place and remedy: %s", (_, [value, message]) => {
    expect(() => read(value)).toThrow(message);
  });

  test("is refused with every problem at once, and without the secret", () => {
    const broken = { ...custom, client_id: 1, client_secret: "hidden-4711", role_mapping: { a: "b" }, issuer: "x" };
    try {
      read([broken]);
      expect.unreachable();
    } catch (error) {
      const lines = (error as Error).message.split("\n");
      expect(lines.map((line) => line.split(" ")[0])).toEqual([
        ...["oauth[0].client_id", "oauth[0].role_mapping.a", "oauth[0].issuer"],
      ]);
      expect(String(error)).not.toContain("hidden");
    }
  });
});
