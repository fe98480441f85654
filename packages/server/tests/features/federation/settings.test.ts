import { describe, expect, test } from "vitest";
import { matchRule } from "../../../src/features/federation/match-rule.ts";
import { readFederationRules } from "../../../src/features/federation/settings.ts";

const github = "https://token.actions.githubusercontent.com";
const publicUrl = "https://slipway.example.com";
const read = (...rules: unknown[]) => readFederationRules(rules, "slipway.yaml", publicUrl);
const problemsOf = (...rules: unknown[]): string[] => {
  try {
    read(...rules);
    return [];
  } catch (error) {
    return (error as Error).message.split("\n");
  }
};
const good = { name: "shop", issuer: github, claims: { repository: "acme/shop" } };

describe("federation in the config", () => {
  test("has defaults that give little for a short time", () => {
    expect(read(good)).toEqual([
      {
        ...{ name: "shop", issuer: github, audience: publicUrl, claims: new Map([["repository", "acme/shop"]]) },
        ...{ role: "svc:user", scopes: ["projects:create", "projects:read", "artifacts:download"] },
        ...{ team: undefined, lifetimeMinutes: 60 },
      },
    ]);
    expect(readFederationRules(undefined, "slipway.yaml", publicUrl)).toEqual([]);
  });

  test("must say whose tokens count where anybody gets tokens", () => {
    for (const claims of [
      { ref: "refs/heads/main" },
      { repository: "*" },
      { repository: "*/shop" },
      { sub: "repo:acme*" },
    ])
      expect(problemsOf({ ...good, claims })).toEqual([
        expect.stringContaining("federation[0].claims in slipway.yaml must say whose"),
      ]);
    for (const claims of [{ repository_owner: "acme" }, { sub: "repo:acme/*" }, { repository: "acme/*" }])
      expect(problemsOf({ ...good, claims })).toEqual([]);
    // An issuer of one's own has tokens of one's own.
    expect(problemsOf({ ...good, issuer: "https://gitlab.acme.example", claims: { ref: "main" } })).toEqual([]);
  });

  test("is refused with every problem at once", () => {
    expect(
      problemsOf(
        { ...good, issuer: "http://ci.example.com", scopes: ["agents:manage"], lifetime_minutes: 0, secret: "x" },
        { ...good, claims: {}, role: "svc:root", team: "Store Front" },
      ).map((line) => line.split(" ").slice(0, 1).join()),
    ).toEqual([
      ...["federation[0].secret", "federation[0].issuer", "federation[0].scopes", "federation[0].lifetime_minutes"],
      ...["federation[1].role", "federation[1].team", "federation[1].claims", "federation"],
    ]);
    expect(() => readFederationRules({}, "slipway.yaml", publicUrl)).toThrow("must be a list of rules");
  });
});

test.each([
  ["acme/*", "acme/shop", true],
  ["acme/*", "evil/acme/shop", false],
  ["refs/heads/release-*-*", "refs/heads/release-1-2", true],
  ["refs/heads/release-*-*", "refs/heads/release-12", false],
  ["a*a", "a", false],
  ["a*b*c", "a-b-c", true],
  ["a*b*c", "abcb", false],
  [".*", "anything", false],
  ["*", "", true],
])("%s fits %s: %s", (pattern, value, expected) => {
  const [rule] = readFederationRules(
    [{ ...good, issuer: "https://ci.acme.example", claims: { ref: pattern } }],
    "",
    publicUrl,
  );
  const claims = { iss: "https://ci.acme.example", aud: [publicUrl], ref: value };
  expect(matchRule([rule!], claims) === rule).toBe(expected);
});
