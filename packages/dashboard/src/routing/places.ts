import { isAdmin, isKeyMaker, may } from "../data/session.ts";

/** A page that the navigation and the command palette lead to. */
export interface Place {
  readonly name: string;
  readonly href: string;
  /** Pressed after `g`. */
  readonly key: string;
}

interface GuardedPlace extends Place {
  readonly isAllowed: () => boolean;
}

const places: readonly GuardedPlace[] = [
  { name: "Projects", href: "/", key: "p", isAllowed: () => may("projects:read") },
  { name: "New project", href: "/new", key: "n", isAllowed: () => may("projects:create") },
  { name: "Approvals", href: "/approvals", key: "a", isAllowed: () => may("projects:read") },
  { name: "Applications", href: "/applications", key: "d", isAllowed: () => may("projects:read") },
  { name: "Agents", href: "/agents", key: "g", isAllowed: () => may("agents:read") },
  { name: "Webhooks", href: "/webhooks", key: "w", isAllowed: () => may("webhooks:manage") },
  { name: "Secrets", href: "/secrets", key: "s", isAllowed: isKeyMaker },
  { name: "Keys", href: "/keys", key: "k", isAllowed: isKeyMaker },
  { name: "Sign-ins", href: "/sessions", key: "o", isAllowed: () => true },
  { name: "Users", href: "/users", key: "u", isAllowed: isAdmin },
  { name: "Audit", href: "/audit", key: "l", isAllowed: isAdmin },
  { name: "Installation", href: "/installation", key: "i", isAllowed: isAdmin },
  { name: "API", href: "/docs", key: "r", isAllowed: () => true },
];

/** The places that the session may see. */
export function placesFor(): readonly Place[] {
  return places.filter(({ isAllowed }) => isAllowed());
}
