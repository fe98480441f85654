import { maxReplayed, type ReplayReport } from "@slipway/contract";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type ReplayedEvent, type ReplayRange, selectReplayed } from "./replay-store.ts";

export interface ReplayRequest {
  readonly since?: string;
  readonly until?: string;
  readonly events?: readonly string[];
  readonly project_id?: string;
  readonly sequence_from?: number;
  readonly sequence_to?: number;
}

/** The range that a request asks for; refuses a request that names none. */
export function replayRange(webhookId: string, asked: ReplayRequest): ReplayRange {
  const { since, until, events, project_id, sequence_from, sequence_to } = asked;
  const hasSequence = sequence_from !== undefined || sequence_to !== undefined;
  if (hasSequence && project_id === undefined)
    throw refuse("/project_id", "A range of sequences is one of a project: name it.");
  if (since === undefined && !hasSequence)
    throw refuse("/since", "Say from when on, or give a project_id and a range of its sequence.");
  return {
    webhookId,
    since: timeOf(since, new Date(0)),
    until: timeOf(until, latest),
    events: events === undefined ? null : [...events],
    projectId: project_id ?? null,
    sequenceFrom: sequence_from ?? null,
    sequenceTo: sequence_to ?? null,
  };
}

const latest = new Date("9999-12-31T23:59:59.999Z");

/** The schema accepts a leap second, `Date` does not: it is read as the second before. */
function timeOf(text: string | undefined, otherwise: Date): Date {
  if (text === undefined) return otherwise;
  const ms = Date.parse(text.replace(/:60(?=\D*[zZ+-])/, ":59"));
  return Number.isNaN(ms) ? otherwise : new Date(Math.min(Math.max(ms, 0), latest.getTime()));
}

/** The events of a range; refuses more than `maxReplayed`. */
export async function findReplayed(db: Database, range: ReplayRange): Promise<ReplayedEvent[]> {
  const found = await selectReplayed(db, range, maxReplayed + 1);
  if (found.length > maxReplayed)
    throw refuse("/until", `These are more than ${maxReplayed} events: ask for a shorter time, and then for the next.`);
  return found;
}

export function reportReplay(webhookId: string, events: readonly ReplayedEvent[], isDryRun: boolean): ReplayReport {
  return {
    webhook_id: webhookId,
    dry_run: isDryRun,
    count: events.length,
    first: events.slice(0, 10).map(({ id, name, projectId, sequence, createdAt }) => ({
      event_id: id,
      event: name,
      project_id: projectId,
      sequence,
      timestamp: createdAt.toISOString(),
    })),
  };
}

function refuse(pointer: string, message: string): Refusal {
  return new Refusal("invalid_body", `The body is not valid. ${pointer}: ${message}`, {
    errors: [{ code: "invalid", message, pointer }],
  });
}
