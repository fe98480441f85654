import { randomBytes } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Handlers, pageOf, pageRequest, requireScope, type Transact } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import type { Dialler } from "../../platform/network/index.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { recordChange } from "../audit/index.ts";
import { teamOfNew } from "../teams/index.ts";
import { disableWebhook } from "./delivery/delivery-store.ts";
import { requireValid, requireWebhook } from "./require-webhook.ts";
import { showWebhook } from "./show-webhook.ts";
import { encodeSecret } from "./sign-delivery.ts";
import {
  activateWebhook,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  selectWebhooks,
  updateWebhook,
  type WebhookChange,
} from "./webhook-store.ts";

export interface RouteDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly transact: Transact;
  readonly keyring: Pick<Keyring, "encrypt" | "decrypt">;
  readonly dialler: Pick<Dialler, "refuseUrl" | "refuseName">;
  readonly allowsLocal: boolean;
  /** After a webhook was made, changed or deleted. */
  readonly onChanged: (webhookId: string) => void;
}

const maxOfOwner = 1_000;
const defaultOverlapSeconds = 24 * 3600;

type WebhookHandlers = Pick<
  Handlers,
  "createWebhook" | "listWebhooks" | "readWebhook" | "changeWebhook" | "deleteWebhook" | "rotateWebhookSecret"
>;

/** Creates, lists, reads, changes and deletes webhooks. */
export function webhookRoutes(deps: RouteDeps): WebhookHandlers {
  const { db, clock, transact, keyring } = deps;
  const seal = (secret: string) => keyring.encrypt(Buffer.from(secret, "utf8"));
  const showOne = async (trx: Transaction, id: string) => showWebhook((await findWebhook(trx, id))!, clock.now());
  return {
    createWebhook: async (call) => {
      const { url, events, secret, project_id, ordering = "none", description = "" } = call.body;
      requireScope(call.principal, "projects:read");
      const teamId = await teamOfNew(db, call.principal, call.body.team);
      await requireValid(deps, { ...call.body, teamId }, call.principal);
      const now = clock.now();
      const id = newId("webhook", now.getTime());
      const answer = await transact(call, async (trx) => {
        const webhook = {
          id,
          ownerId: call.principal.userId,
          teamId,
          url: new URL(url).href,
          events: [...new Set(events)],
          projectId: project_id ?? null,
          ordering,
          description,
          secret: seal(secret),
          now,
        };
        if (!(await insertWebhook(trx, webhook, maxOfOwner)))
          throw new Refusal("conflict", `You have ${maxOfOwner} webhooks already; delete one that you do not need.`);
        const detail = { url: webhook.url, events: webhook.events, ...(teamId !== null && { team_id: teamId }) };
        await recordChange(trx, clock, call, { action: "webhook.create", target: id, detail });
        return { status: 201, body: await showOne(trx, id), headers: { location: `/api/v1/webhooks/${id}` } };
      });
      deps.onChanged(id);
      return answer;
    },

    listWebhooks: async ({ query, principal }) => {
      const page = pageRequest(query, /^wh_/);
      const rows = await selectWebhooks(db, principal, page);
      const { items, nextCursor } = pageOf(rows, page, ({ id }) => id);
      return {
        status: 200,
        body: { webhooks: items.map((row) => showWebhook(row, clock.now())), next_cursor: nextCursor },
      };
    },

    readWebhook: async ({ params, principal }) => {
      const row = await requireWebhook(db, params.webhook_id, principal);
      return { status: 200, body: showWebhook(row, clock.now()) };
    },

    changeWebhook: async (call) => {
      const { id, team_id: teamId } = await requireWebhook(db, call.params.webhook_id, call.principal);
      requireScope(call.principal, "projects:read");
      const { status, url, events, ...rest } = call.body;
      await requireValid(deps, { ...call.body, teamId }, call.principal);
      const change: WebhookChange = {
        ...rest,
        ...(url !== undefined && { url: new URL(url).href }),
        ...(events !== undefined && { events: [...new Set(events)] }),
      };
      const answer = await transact(call, async (trx) => {
        if (status === "disabled") await disableWebhook(trx, id, `${call.principal.userName} disabled it.`);
        await updateWebhook(trx, id, clock.now(), change);
        if (status === "active" && !(await activateWebhook(trx, id, clock.now())))
          throw new Refusal("conflict", "The webhook's owner was removed; delete it and create one of your own.");
        const detail = { ...change, ...(status !== undefined && { status }) };
        await recordChange(trx, clock, call, { action: "webhook.change", target: id, detail });
        return { status: 200, body: await showOne(trx, id) };
      });
      deps.onChanged(id);
      return answer;
    },

    deleteWebhook: async (call) => {
      const { id, url } = await requireWebhook(db, call.params.webhook_id, call.principal);
      const answer = await transact(call, async (trx) => {
        if (!(await deleteWebhook(trx, id))) throw new Refusal("not_found", "There is no such webhook any more.");
        await recordChange(trx, clock, call, { action: "webhook.delete", target: id, detail: { url } });
        return { status: 204 };
      });
      deps.onChanged(id);
      return answer;
    },

    rotateWebhookSecret: async (call) => {
      const row = await requireWebhook(db, call.params.webhook_id, call.principal);
      await requireValid(deps, call.body, call.principal);
      const { secret, overlap_seconds = defaultOverlapSeconds } = call.body;
      const made = secret === undefined ? encodeSecret(randomBytes(24)) : null;
      const until = new Date(clock.now().getTime() + overlap_seconds * 1000);
      const answer = await transact(call, async (trx) => {
        await updateWebhook(trx, row.id, clock.now(), {
          secret: seal(secret ?? made!),
          old_secret: row.secret,
          old_secret_until: until,
        });
        const detail = { overlap_seconds };
        await recordChange(trx, clock, call, { action: "webhook.rotate_secret", target: row.id, detail });
        return {
          status: 200,
          body: { webhook_id: row.id, secret: made, old_secret_until: until.toISOString() },
        };
      });
      deps.onChanged(row.id);
      return answer;
    },
  };
}
