import type { LogEvent, Match, Told } from "./log-store.ts";

/**
 * What follows from events and whom they are for: one of each webhook that an event fits, in the order in which they are posted.
 * Each is told its number among those of its match, from one on; and all are counted, by match.
 */
export function makeDeliveries<D>(
  { events, matches }: Told,
  make: (event: LogEvent, match: Match, number: number) => D,
): { readonly deliveries: D[]; readonly counts: readonly number[] } {
  const ofProject = Map.groupBy(events.keys(), (place) => events[place]!.projectId);
  let isInOrder = true;
  for (const places of ofProject.values()) isInOrder = sortBySequence(events, places) && isInOrder;
  const made = events.map((): D[] => []);
  const counts = matches.map((match) => {
    const { projectId, names, missed } = match;
    let count = 0;
    for (const place of ofProject.get(projectId) ?? []) {
      const event = events[place]!;
      if (names !== undefined && !names.includes(event.name)) continue;
      if (missed?.includes(event.id)) continue;
      count += 1;
      made[place]!.push(make(event, match, count));
    }
    return count;
  });
  const inTurn = isInOrder ? made : turnsOf(ofProject.values()).map((place) => made[place]!);
  return { deliveries: inTurn.flat() as D[], counts };
}

/** Whether nothing had to be moved: events of a project nearly always come as it counts. */
function sortBySequence(events: readonly LogEvent[], places: number[]): boolean {
  const isInOrder = places.every(
    (place, at) => at === 0 || events[places[at - 1]!]!.sequence < events[place]!.sequence,
  );
  if (!isInOrder) places.sort((a, b) => events[a]!.sequence - events[b]!.sequence);
  return isInOrder;
}

/** The order of the log, but nothing before what came before it in its project: it waits for the turn of that. */
function turnsOf(ofProjects: Iterable<readonly number[]>): number[] {
  const turns: { turn: number; place: number }[] = [];
  for (const places of ofProjects) {
    let turn = -1;
    for (const place of places) {
      turn = Math.max(turn, place);
      turns.push({ turn, place });
    }
  }
  // Only events of one project have the same turn, and sorting leaves these as they are.
  return turns.sort((a, b) => a.turn - b.turn).map(({ place }) => place);
}
