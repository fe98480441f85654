import type { Role } from "@slipway/contract";

/** From the highest to the lowest. */
const ranking: readonly Role[] = ["svc:admin", "svc:user", "svc:readonly"];

/** The highest role that any of somebody's roles at the provider maps to; undefined: none, so they do not get in. */
export function mapRole(mapping: ReadonlyMap<string, Role>, externalRoles: readonly string[]): Role | undefined {
  const mapped = new Set(externalRoles.map((name) => mapping.get(name)));
  return ranking.find((role) => mapped.has(role));
}
