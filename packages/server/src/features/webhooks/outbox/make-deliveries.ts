import type { LogEvent, Match } from "./log-store.ts";
import { inProjectOrder } from "./project-order.ts";

/** The last sequence of a project at a webhook. */
export interface LastSequence {
  readonly webhookId: string;
  readonly projectId: string;
  readonly last: number;
}

/** A delivery that follows from an event, with its `webhook-sequence`. */
export interface NewDelivery {
  readonly event: LogEvent;
  readonly match: Match;
  readonly sequence: number;
}

/** One delivery for each webhook that an event matches, in the order in which they are posted. */
export function makeDeliveries(
  events: readonly LogEvent[],
  matches: readonly Match[],
): { readonly deliveries: readonly NewDelivery[]; readonly lastSequences: readonly LastSequence[] } {
  const byProject = Map.groupBy(matches, ({ projectId }) => projectId);
  const counts = new Map(matches.map((match) => [match, 0]));
  const deliveries = inProjectOrder(events).flatMap((event) =>
    (byProject.get(event.projectId) ?? []).flatMap((match): NewDelivery[] => {
      const { names, missed, lastSequence } = match;
      if ((names !== null && !names.includes(event.name)) || missed?.includes(event.id)) return [];
      const count = counts.get(match)! + 1;
      counts.set(match, count);
      return [{ event, match, sequence: lastSequence + count }];
    }),
  );
  const lastSequences = [...counts].flatMap(([{ webhookId, projectId, lastSequence }, count]) =>
    count === 0 ? [] : [{ webhookId, projectId, last: lastSequence + count }],
  );
  return { deliveries, lastSequences };
}
