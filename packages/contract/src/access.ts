/** The scopes an API key can have, each with what it permits. */
export const scopes = {
  "projects:create": "Create projects, dry-run and validate documents.",
  "projects:read": "Read projects, their events, logs and documents; list artifacts.",
  "artifacts:download": "Download artifacts.",
  "projects:manage": "Assign roles, control runs, delete projects.",
  "approvals:decide": "Decide approvals: approve or deny.",
  "agents:read": "Read agents.",
  "agents:manage": "Register, restart and delete agents.",
  "agents:work": "Claim tasks and report on them.",
  "webhooks:manage": "Manage webhooks. Also requires projects:read.",
} as const;

export type Scope = keyof typeof scopes;
export const scopeNames = Object.keys(scopes) as Scope[];

/** The roles a user can have. */
const roles = {
  "svc:admin": "Full access.",
  "svc:user": "Full access to their own projects; read access to agents.",
  "svc:readonly": "Read access to all projects.",
} as const;

export type Role = keyof typeof roles;
export const roleNames = Object.keys(roles) as Role[];

/** The scopes a role can use. Each request intersects an API key's scopes with its creator's role. */
export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = {
  "svc:admin": scopeNames,
  "svc:user": [
    "projects:create",
    "projects:read",
    "artifacts:download",
    "projects:manage",
    "approvals:decide",
    "agents:read",
    "agents:work",
    "webhooks:manage",
  ],
  "svc:readonly": ["projects:read", "artifacts:download", "agents:read"],
};

/** Who may call an endpoint. */
export type Access =
  /** Anyone, without a token. */
  | { readonly kind: "open" }
  /** Callers whose role or key has the scope. */
  | { readonly kind: "scope"; readonly scope: Scope }
  /** Callers with one of the scopes; the request decides which one it needs. */
  | { readonly kind: "anyScope"; readonly scopes: readonly Scope[] }
  /** Users with one of these roles and a user token; never API keys. */
  | { readonly kind: "user"; readonly roles: readonly Role[] }
  /** Administrators, or the bearer of the operator's metrics token. */
  | { readonly kind: "metrics" };

export const open: Access = { kind: "open" };
export const withScope = (scope: Scope): Access => ({ kind: "scope", scope });
export const withAnyScope = (...anyOf: readonly Scope[]): Access => ({ kind: "anyScope", scopes: anyOf });
/** Every user may revoke their own keys. */
export const anyUser: Access = { kind: "user", roles: roleNames };
/** Read-only users cannot create keys. */
export const keyMakers: Access = { kind: "user", roles: ["svc:admin", "svc:user"] };
export const adminOnly: Access = { kind: "user", roles: ["svc:admin"] };
