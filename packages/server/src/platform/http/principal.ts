import type { Role, Scope } from "@slipway/contract";

/** Who makes a request, and what they may. */
export interface Principal {
  /** Tells callers apart in limits and idempotency: the key's id, or the user's. */
  readonly id: string;
  readonly userId: string;
  readonly userName: string;
  readonly role: Role;
  /** Met with the role already. */
  readonly scopes: ReadonlySet<Scope>;
  /** The API key, if one was used. */
  readonly apiKeyId?: string;
}

/** The roles that may read every project. */
export const rolesThatReadAllProjects: readonly Role[] = ["svc:admin", "svc:readonly"];

export function readsAllProjects({ role }: Principal): boolean {
  return rolesThatReadAllProjects.includes(role);
}
