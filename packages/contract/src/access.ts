/** What an API key may be allowed, each with what it opens. */
export const scopes = {
  "projects:create": "Create projects, try documents out, validate them.",
  "projects:read": "Read projects, their events, logs and documents; list artifacts.",
  "artifacts:download": "Download artifacts.",
  "projects:manage": "Assign roles, give commands, delete projects.",
  "approvals:decide": "Decide on approvals.",
  "agents:read": "Read agents.",
  "agents:manage": "Register, restart and delete agents.",
  "agents:work": "Claim tasks and report on them.",
  "webhooks:manage": "Manage webhooks; together with projects:read.",
} as const;

export type Scope = keyof typeof scopes;
export const scopeNames = Object.keys(scopes) as Scope[];

/** What a user is. */
const roles = {
  "svc:admin": "Everything.",
  "svc:user": "Everything on their own projects; reads agents.",
  "svc:readonly": "Reads all projects.",
} as const;

export type Role = keyof typeof roles;
export const roleNames = Object.keys(roles) as Role[];

/** The scopes that each role has at most; a key's scopes are met with its maker's role on each request. */
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
  /** Anybody, without a token. */
  | { readonly kind: "open" }
  /** Who has the scope, by role or key. */
  | { readonly kind: "scope"; readonly scope: Scope }
  /** Who has one of the scopes; which of them is needed depends on the request. */
  | { readonly kind: "anyScope"; readonly scopes: readonly Scope[] }
  /** Users with a user token, of these roles; keys never. */
  | { readonly kind: "user"; readonly roles: readonly Role[] }
  /** Administrators, or the bearer of the operator's metrics token. */
  | { readonly kind: "metrics" };

export const open: Access = { kind: "open" };
export const withScope = (scope: Scope): Access => ({ kind: "scope", scope });
export const withAnyScope = (...anyOf: readonly Scope[]): Access => ({ kind: "anyScope", scopes: anyOf });
/** Ending what is one's own is never too much. */
export const anyUser: Access = { kind: "user", roles: roleNames };
/** Keys are made by those who may change something. */
export const keyMakers: Access = { kind: "user", roles: ["svc:admin", "svc:user"] };
export const adminOnly: Access = { kind: "user", roles: ["svc:admin"] };
