import { agentQueue, capabilitiesOf, engineQueue, stepsQueue } from "./queues.ts";

/** Hands that do jobs: the agent's, or the engine's own where there is none. */
export interface Slots {
  readonly name: string;
  readonly queues: readonly string[];
  /** How many jobs they do at a time. */
  readonly most: number;
  readonly agentId: string;
}

export interface LocalAgent {
  readonly id: string;
  readonly slots: number;
  readonly capabilities: readonly string[];
}

/** How many steps and engine jobs are under way at once. */
const stepSlots = 4;
const engineSlots = 200;
/** From so many free hands on, each lane takes its share of them; fewer go to the one that comes first. */
const handsToShare = 16;

/** All hands here: the engine's own, and those of the agents, who also do what any agent of their kind may. */
export function allSlots(agents: readonly LocalAgent[], fittingQueues: Iterable<string>): Slots[] {
  const waited = [...fittingQueues].map((queue) => ({ queue, capabilities: capabilitiesOf(queue) }));
  return [
    { name: engineQueue, queues: [engineQueue], most: engineSlots, agentId: "" },
    { name: stepsQueue, queues: [stepsQueue], most: stepSlots, agentId: "" },
    ...agents.map(({ id, slots, capabilities }): Slots => {
      const fitting = waited.filter((one) => one.capabilities.every((capability) => capabilities.includes(capability)));
      const queues = [agentQueue(id), ...fitting.map(({ queue }) => queue)];
      return { name: agentQueue(id), queues, most: slots, agentId: id };
    }),
  ];
}

/** How many of each hands, by name. */
export type SlotCounts = ReadonlyMap<string, number>;

export function countSlots(names: Iterable<{ readonly name: string; readonly count: number }>): SlotCounts {
  const counts = new Map<string, number>();
  for (const { name, count } of names) counts.set(name, (counts.get(name) ?? 0) + count);
  return counts;
}

interface Claims {
  /** At a job that is not over. */
  readonly busy: SlotCounts;
  /** At a job of the lane's that is over as soon as its transaction is. */
  readonly freed: SlotCounts;
  /** Promised to other lanes. */
  readonly promised: SlotCounts;
  readonly laneCount: number;
}

/** Whose hands are free for a lane; and whether some are, but promised to another one. */
export function freeSlots(
  all: readonly Slots[],
  { busy, freed, promised, laneCount }: Claims,
): { readonly free: Slots[]; readonly isShort: boolean } {
  let isShort = false;
  const free = all.flatMap((slots) => {
    const idle = slots.most - (busy.get(slots.name) ?? 0);
    const left = idle - (promised.get(slots.name) ?? 0);
    if (idle > 0 && left <= 0) isShort = true;
    if (left <= 0) return [];
    const own = freed.get(slots.name) ?? 0;
    const share = own + Math.ceil((idle - own) / laneCount);
    return [{ ...slots, most: idle < handsToShare ? left : Math.min(left, share) }];
  });
  return { free, isShort };
}
