import type { Role, Scope } from "@slipway/contract";

/** Who makes a request, and what they may do. */
export interface Principal {
  /** Identifies the caller for limits and idempotency: the id of the API key, or of the user. */
  readonly id: string;
  readonly userId: string;
  readonly userName: string;
  readonly role: Role;
  /** Already reduced to what the role allows. */
  readonly scopes: ReadonlySet<Scope>;
  /** The API key, if one was used. */
  readonly apiKeyId?: string;
  /** The user token, if one was used. */
  readonly tokenId?: string;
  /** The teams whose projects the caller works on beside their own. */
  readonly teamIds: readonly string[];
  /** The team of the API key or service account, which reaches nothing else. */
  readonly onlyTeamId?: string;
}

/** The roles that may read every project. */
export const rolesThatReadAllProjects: readonly Role[] = ["svc:admin", "svc:readonly"];

export function readsAllProjects({ role, onlyTeamId }: Principal): boolean {
  return onlyTeamId === undefined && rolesThatReadAllProjects.includes(role);
}
