interface Sequenced {
  readonly projectId: string;
  readonly sequence: number;
}

/**
 * The longest prefix of what was read in which no event comes before an earlier one of its project: a later event can have the
 * older transaction, so the log's order is not the project's. `gaps` holds, for a project, the first sequence that must wait
 * because the event before it was not read.
 */
export function completePrefix<E extends Sequenced>(
  events: readonly E[],
  gaps: ReadonlyMap<string, number>,
): readonly E[] {
  const ordered = inProjectOrder(events);
  /** How many events of a project are seen too early, or are still missing, at each point; all zero: the prefix is complete. */
  const unbalanced = new Map<string, Set<number>>();
  let length = 0;
  for (const [at, { projectId, sequence }] of events.entries()) {
    if (sequence >= (gaps.get(projectId) ?? Infinity)) break;
    const open = unbalanced.get(projectId) ?? new Set();
    for (const one of [sequence, ordered[at]!.sequence]) if (!open.delete(one)) open.add(one);
    if (open.size > 0) unbalanced.set(projectId, open);
    else unbalanced.delete(projectId);
    if (unbalanced.size === 0) length = at + 1;
  }
  return events.slice(0, length);
}

/** The same events, those of each project in the order of their sequence at the positions that the project has. */
export function inProjectOrder<E extends Sequenced>(events: readonly E[]): readonly E[] {
  const sorted = Map.groupBy(events, ({ projectId }) => projectId);
  for (const ofProject of sorted.values()) ofProject.sort((a, b) => b.sequence - a.sequence);
  return events.map(({ projectId }) => sorted.get(projectId)!.pop()!);
}
