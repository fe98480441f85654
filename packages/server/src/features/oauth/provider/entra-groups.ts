import type { Dial } from "./provider.ts";
import { fieldsOf, readJson, requireList } from "./read-json.ts";

interface Deps {
  readonly dial: Dial;
  readonly graphUrl: string;
  readonly label: string;
}

/**
 * App roles, then groups. With more than about 200 groups a token only says that there are some (an overage): then Graph
 * lists them.
 */
export async function selectEntraRoles(
  { dial, graphUrl, label }: Deps,
  claims: Readonly<Record<string, unknown>>,
  accessToken: string,
): Promise<readonly string[]> {
  const roles = textsOf(claims["roles"]);
  const names = claims["_claim_names"];
  const hasOverage =
    claims["hasgroups"] === true || (typeof names === "object" && names !== null && Object.hasOwn(names, "groups"));
  if (!hasOverage) return [...roles, ...textsOf(claims["groups"])];
  const { body } = await readJson({ dial, label }, `${graphUrl}/v1.0/me/getMemberObjects`, {
    method: "POST",
    headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
    body: JSON.stringify({ securityEnabledOnly: false }),
  });
  return [...roles, ...textsOf(requireList(fieldsOf(body)["value"], label))];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
