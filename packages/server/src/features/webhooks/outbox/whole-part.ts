interface Told {
  readonly projectId: string;
  readonly sequence: number;
}

/**
 * As many of the first events as can be told without one before what came before it in its project: a later event can have the
 * older transaction, and what is read can end between the two. Torn: from which sequence on events of a project have to wait,
 * because the one before comes later in the log.
 */
export function wholePart<E extends Told>(events: readonly E[], torn: ReadonlyMap<string, number>): readonly E[] {
  if (torn.size === 0 && isInOrder(events)) return events;
  const ranks = ranksOf(events);
  const seen = new Map<string, { readonly count: number; readonly highest: number }>();
  const open = new Set<string>();
  let whole = 0;
  for (const [place, event] of events.entries()) {
    const { projectId, sequence } = event;
    if (sequence >= (torn.get(projectId) ?? Infinity)) break;
    const { count, highest } = seen.get(projectId) ?? { count: 0, highest: -1 };
    const now = { count: count + 1, highest: Math.max(highest, ranks.get(event)!) };
    seen.set(projectId, now);
    if (now.highest + 1 === now.count) open.delete(projectId);
    else open.add(projectId);
    if (open.size === 0) whole = place + 1;
  }
  return events.slice(0, whole);
}

/** Nearly always: each event of a project comes after those before it. */
function isInOrder(events: readonly Told[]): boolean {
  const last = new Map<string, number>();
  for (const { projectId, sequence } of events) {
    if (sequence < (last.get(projectId) ?? 0)) return false;
    last.set(projectId, sequence);
  }
  return true;
}

/** The place of each event among those of its project. */
function ranksOf<E extends Told>(events: readonly E[]): ReadonlyMap<E, number> {
  const ranks = new Map<E, number>();
  for (const ofProject of Map.groupBy(events, ({ projectId }) => projectId).values())
    for (const [rank, event] of ofProject.toSorted((a, b) => a.sequence - b.sequence).entries()) ranks.set(event, rank);
  return ranks;
}
