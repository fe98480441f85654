import { type checkRoles, endAccessOf, type openProviders } from "../features/oauth/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import type { Keyring } from "../platform/secrets/index.ts";
import type { RequestAnnouncements } from "./channels.ts";
import type { Notifications } from "./notifications.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly signInProviders: ReturnType<typeof openProviders>;
  readonly notifications: Notifications;
  readonly announce: RequestAnnouncements;
}

/** What is needed to ask sign-in providers, and to end the access of people whom they do not confirm. */
export function providerDeps({
  db,
  clock,
  keyring,
  signInProviders,
  notifications,
  announce,
}: Deps): Parameters<typeof checkRoles>[0] {
  const { webhooks } = notifications;
  const disableWebhooksOf = (...args: Parameters<typeof webhooks.disableOf>) => webhooks.disableOf(...args);
  return {
    db,
    clock,
    keyring,
    providers: signInProviders,
    endAccess: (trx, userId, why, request) => endAccessOf(trx, { clock, disableWebhooksOf }, userId, why, request),
    onRevoked: announce.accessRevoked,
    onWebhooksDisabled: (ids) => webhooks.notifyChanged(ids),
  };
}
