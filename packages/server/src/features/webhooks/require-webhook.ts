import type { ProblemDetail } from "@slipway/contract";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { Principal } from "../../platform/http/index.ts";
import { type Dialler, DialRefusal } from "../../platform/network/index.ts";
import { requireReadable } from "../projects/index.ts";
import { type DeliveryRow, findDelivery } from "./history-store.ts";
import { deliveryIdOf, deliveryNumber } from "./show-webhook.ts";
import { whyNoSecret } from "./sign-delivery.ts";
import { findWebhook, type WebhookRow } from "./webhook-store.ts";

/** A webhook that the caller may see and change. */
export async function requireWebhook(db: Database, id: string, principal: Principal): Promise<WebhookRow> {
  const row = await findWebhook(db, id, principal);
  if (row === undefined) throw new Refusal("not_found", "There is no such webhook, or it is not yours to see.");
  return row;
}

export async function requireDelivery(db: Database, id: string, principal: Principal): Promise<DeliveryRow> {
  const number = deliveryNumber(id);
  const row = number === undefined ? undefined : await findDelivery(db, number);
  const webhook = row && deliveryIdOf(row) === id ? await findWebhook(db, row.webhook_id, principal) : undefined;
  if (row === undefined || webhook === undefined)
    throw new Refusal("not_found", "There is no such delivery, or it is not yours to see.");
  return row;
}

interface Input {
  readonly url?: string | undefined;
  readonly secret?: string | undefined;
  readonly project_id?: string | null | undefined;
  /** The team whose events it receives; null: it is not a team's. */
  readonly teamId?: string | null;
}

interface Deps {
  readonly db: Database;
  readonly dialler: Pick<Dialler, "refuseUrl" | "refuseName">;
  readonly allowsLocal: boolean;
}

/** Refuses what the schema cannot check, with every problem at once. */
export async function requireValid(deps: Deps, input: Input, principal: Principal) {
  const { url, secret, project_id, teamId = null } = input;
  const found = await Promise.all([
    url === undefined ? undefined : whyNoUrl(deps, url),
    secret === undefined ? undefined : whyNoSecret(secret),
    project_id === undefined || project_id === null ? undefined : whyNoProject(deps.db, project_id, teamId, principal),
  ]);
  const errors = ["/url", "/secret", "/project_id"].flatMap((pointer, at): ProblemDetail[] => {
    const message = found[at];
    return message === undefined ? [] : [{ code: "invalid", message, pointer }];
  });
  if (errors.length === 0) return;
  const detail = errors.map(({ pointer, message }) => `${pointer}: ${message}`).join(" ");
  throw new Refusal("invalid_body", `The body is not valid. ${detail}`, { errors });
}

async function whyNoUrl({ dialler, allowsLocal }: Deps, text: string): Promise<string | undefined> {
  const url = URL.parse(text);
  const form = allowsLocal
    ? "Give an https address, or http on the service's own machine"
    : "Give an https address that can be reached from everywhere";
  if (url === null || (url.protocol !== "https:" && !(allowsLocal && url.protocol === "http:"))) return `${form}.`;
  if (url.username !== "" || url.password !== "") return `${form}, without a name or password in it.`;
  try {
    dialler.refuseUrl(url);
    await dialler.refuseName(url);
    return undefined;
  } catch (error) {
    if (!(error instanceof DialRefusal)) throw error;
    return `${error.message} ${form}.`;
  }
}

async function whyNoProject(
  db: Database,
  id: string,
  teamId: string | null,
  principal: Principal,
): Promise<string | undefined> {
  try {
    const project = await requireReadable(db, id, principal);
    return teamId === null || project.team_id === teamId ? undefined : "The project is not shared with the team.";
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}
