import { offers } from "../../agents/index.ts";
import { agentQueue, engineQueue, hostQueue, needsOf, stepsQueue } from "./queues.ts";

/** Slots of one agent on this node, or of the engine itself, and the queues that they serve. */
export interface SlotGroup {
  readonly name: string;
  readonly queues: readonly string[];
  /** How many jobs they do at a time. */
  readonly max: number;
  /** Empty for the engine's own. */
  readonly agentId: string;
}

export interface LocalAgent {
  readonly id: string;
  readonly slots: number;
  readonly capabilities: readonly string[];
  readonly offersEveryRole: boolean;
}

/** How many steps and engine jobs a node does at a time. */
const stepSlots = 4;
const engineSlots = 200;
/** From so many free slots on, each settle loop takes its share of them; fewer go to the loop that asks first. */
const minShared = 16;

/** All slots of this node: the engine's own, and the agents', which also serve the queues of the roles that they offer. */
export function slotGroups(
  agents: readonly LocalAgent[],
  offerQueues: Iterable<string>,
  /** The node's data folder. */
  host?: string,
): SlotGroup[] {
  const wanted = [...offerQueues].map((queue) => ({ queue, needs: needsOf(queue) }));
  return [
    { name: engineQueue, queues: [engineQueue], max: engineSlots, agentId: "" },
    {
      name: stepsQueue,
      queues: [stepsQueue, ...(host === undefined ? [] : [hostQueue(host)])],
      max: stepSlots,
      agentId: "",
    },
    ...agents.map((agent): SlotGroup => {
      const { id, slots } = agent;
      const served = wanted.filter(({ needs }) => offers(agent, needs));
      const queues = [agentQueue(id), ...served.map(({ queue }) => queue)];
      return { name: agentQueue(id), queues, max: slots, agentId: id };
    }),
  ];
}

/** How many slots of each group, by the group's name. */
export type SlotCounts = ReadonlyMap<string, number>;

export function countSlots(names: Iterable<{ readonly name: string; readonly count: number }>): SlotCounts {
  const counts = new Map<string, number>();
  for (const { name, count } of names) counts.set(name, (counts.get(name) ?? 0) + count);
  return counts;
}

interface SlotUse {
  /** Taken by a job that is not over. */
  readonly busy: SlotCounts;
  /** Taken by a job that is over once this loop's transaction commits. */
  readonly freed: SlotCounts;
  /** Reserved by other settle loops. */
  readonly reserved: SlotCounts;
  readonly loopCount: number;
}

/** The slots that a settle loop may fill; and whether some are idle but reserved by another loop. */
export function freeSlots(
  groups: readonly SlotGroup[],
  { busy, freed, reserved, loopCount }: SlotUse,
): { readonly free: SlotGroup[]; readonly isShort: boolean } {
  let isShort = false;
  const free = groups.flatMap((group) => {
    const idle = group.max - (busy.get(group.name) ?? 0);
    const left = idle - (reserved.get(group.name) ?? 0);
    if (idle > 0 && left <= 0) isShort = true;
    if (left <= 0) return [];
    const own = freed.get(group.name) ?? 0;
    const share = own + Math.ceil((idle - own) / loopCount);
    return [{ ...group, max: idle < minShared ? left : Math.min(left, share) }];
  });
  return { free, isShort };
}
