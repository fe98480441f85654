import type { Clock } from "../../platform/clock.ts";
import { type Database, isDatabaseUnavailable } from "../../platform/database/index.ts";
import { newId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log/index.ts";
import {
  endDraining,
  forgetNode,
  freeServed,
  notePresence,
  type Presence,
  type RegisteredRow,
  selectDraining,
  selectWorkersThere,
  serveRegistered,
  upsertAgent,
} from "./presence-store.ts";
import { type ProbeLimits, Probes, usualProbeLimits } from "./probes.ts";
import type { AgentHere } from "./runnable-agent.ts";

export interface RegistryDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** This node's name. */
  readonly node: string;
  /** Agents of this node's own: built in, or from its config file. */
  readonly declared: readonly AgentHere[];
  /** How to run an agent that was registered. */
  readonly agentOf: (row: RegisteredRow) => AgentHere;
  /** Which nodes run tasks of these agents: an entry for each task. */
  readonly findRunning: (agentIds: readonly string[]) => Promise<readonly RunningTask[]>;
  /** After other agents than before can be given tasks here. */
  readonly onChanged: () => void;
  readonly probeLimits?: ProbeLimits;
}

interface RunningTask {
  readonly agentId: string;
  readonly node: string;
}

/** What is known of whether an agent can be used here. */
type Standing =
  | { readonly is: "untried" }
  | { readonly is: "usable"; readonly version: string }
  | { readonly is: "unusable"; readonly reason: string };

/** An agent that this node runs. */
interface Member {
  readonly id: string;
  readonly agent: AgentHere;
  /** It says itself that it is there: a worker elsewhere. */
  readonly isWorker: boolean;
  /** Aborted when it is no longer this node's. */
  readonly leaving: AbortController;
  standing: Standing;
  triedAtMs: number;
  isBeingTried: boolean;
  /** A worker that has not been heard of lately is not there. */
  isThere: boolean;
  isDraining: boolean;
  /** Tried out since it is draining. */
  isFresh: boolean;
}

const presenceMs = 4_000;

/**
 * The agents that this node can run: its own, and registered ones, each of which one node serves at a time. Tries them out,
 * tells the others how it finds them, and restarts those that are to be.
 */
export class Registry {
  readonly #parts: RegistryDeps;
  readonly #members = new Map<string, Member>();
  readonly #probes: Probes;
  readonly #retryMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #refreshing: Promise<void> | undefined;
  #isAskedAgain = false;
  #shown = "";

  constructor(parts: RegistryDeps) {
    this.#parts = parts;
    const { probeLimits = usualProbeLimits } = parts;
    this.#probes = new Probes(probeLimits);
    this.#retryMs = probeLimits.retryMs;
  }

  /** Makes the node's own agents known. They are tried out meanwhile; who needs no time for that can be used at once. */
  async start({ isAlone = false }: { isAlone?: boolean } = {}): Promise<void> {
    const { db, clock, declared } = this.#parts;
    if (isAlone) await freeServed(db);
    for (const agent of declared) {
      const { name, driver, capabilities } = agent;
      const id = newId("agent", clock.now().getTime());
      this.#add(await upsertAgent(db, { id, name, kind: driver.kind, capabilities }), agent);
    }
    this.#isRunning = true;
    await nextTurn();
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh(), presenceMs).unref();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    clearInterval(this.#timer);
    this.#probes.stop();
    await this.#refreshing;
    await forgetNode(this.#parts.db, this.#parts.node).catch(() => undefined);
  }

  /** Those that can be given tasks here now, and how many at a time. */
  agentsHere(): { id: string; slots: number; capabilities: readonly string[] }[] {
    return [...this.#members.values()].filter(isAtHand).map(({ id, agent: { slots, capabilities } }) => ({
      id,
      slots,
      capabilities,
    }));
  }

  /** How to run an agent, also one that takes nothing new. */
  find(id: string): AgentHere | undefined {
    return this.#members.get(id)?.agent;
  }

  /** Tasks have ended: who waits for that to be restarted need not wait for longer. */
  noteTurn(): void {
    if ([...this.#members.values()].some(({ isDraining }) => isDraining)) void this.refresh();
  }

  /** Looks at what others have changed, and says who is here. Once more, if it is asked for while it is at it. */
  async refresh(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isAskedAgain = true;
    this.#refreshing ??= this.#refreshAll().finally(() => {
      this.#refreshing = undefined;
      if (this.#isAskedAgain) void this.refresh();
    });
    await this.#refreshing;
  }

  async #refreshAll(): Promise<void> {
    while (this.#isAskedAgain && this.#isRunning) {
      this.#isAskedAgain = false;
      try {
        await this.#refreshOnce();
      } catch (error) {
        const details = { err: error };
        if (isDatabaseUnavailable(error)) this.#parts.log.debug(details, "The agents wait for the database.");
        else this.#parts.log.warn(details, "looking after the agents failed");
      }
    }
  }

  async #refreshOnce(): Promise<void> {
    const { db, node } = this.#parts;
    this.#takeRegistered(await serveRegistered(db, node));
    const members = [...this.#members.values()];
    if (members.some(({ isWorker }) => isWorker)) {
      const there = await selectWorkersThere(db);
      for (const member of members) if (member.isWorker) member.isThere = there.has(member.id);
    }
    await this.#restartDraining(members);
    for (const member of members) this.#tryIfDue(member);
    // A worker tells of itself.
    await notePresence(db, node, members.filter(({ isWorker }) => !isWorker).map(presenceOf));
    this.#tellIfChanged();
  }

  /** Registered agents come and go, and move to other nodes. */
  #takeRegistered(rows: readonly RegisteredRow[]): void {
    const served = new Set(rows.map(({ id }) => id));
    const own = new Set(this.#parts.declared);
    for (const { id, agent, leaving } of this.#members.values()) {
      if (own.has(agent) || served.has(id)) continue;
      leaving.abort();
      this.#members.delete(id);
    }
    for (const row of rows) {
      if (this.#members.has(row.id)) continue;
      try {
        this.#add(row.id, this.#parts.agentOf(row), row.kind === "worker");
      } catch (error) {
        // One that cannot be run at all must not be the others' trouble.
        this.#parts.log.warn({ err: error }, `agent '${row.name}' cannot be run by this version`);
      }
    }
  }

  #add(id: string, agent: AgentHere, isWorker = false): void {
    const member: Member = {
      id,
      agent,
      isWorker,
      leaving: new AbortController(),
      standing: { is: "untried" },
      triedAtMs: -Infinity,
      isBeingTried: false,
      isThere: !isWorker,
      isDraining: false,
      isFresh: false,
    };
    this.#members.set(id, member);
    this.#try(member);
  }

  /** Who is to be restarted finishes what it is at here, is tried out, and is there again when it is so on all nodes. */
  async #restartDraining(members: readonly Member[]): Promise<void> {
    const draining = await selectDraining(this.#parts.db);
    const running = draining.size === 0 ? [] : await this.#parts.findRunning([...draining]);
    for (const member of members) {
      const isBusyHere = running.some(({ agentId, node }) => agentId === member.id && node === this.#parts.node);
      member.isDraining = draining.has(member.id);
      if (!member.isDraining || isBusyHere) member.isFresh = false;
      else if (!member.isFresh) this.#try(member);
    }
    const busy = new Set(running.map(({ agentId }) => agentId));
    const ready = members.filter(({ id, isDraining, isFresh }) => isDraining && isFresh && !busy.has(id));
    if (ready.length === 0) return;
    const ended = new Set(
      await endDraining(
        this.#parts.db,
        ready.map(({ id }) => id),
      ),
    );
    for (const member of ready) {
      if (!ended.has(member.id)) continue;
      member.isDraining = false;
      member.isFresh = false;
    }
  }

  #tryIfDue(member: Member): void {
    const isDue = performance.now() - member.triedAtMs > this.#retryMs;
    if (member.standing.is === "unusable" && isDue) this.#try(member);
  }

  #try(member: Member): void {
    if (member.isBeingTried) return;
    member.isBeingTried = true;
    void this.#probes.probe(member.agent.driver, member.leaving.signal).then((probe) => {
      member.isBeingTried = false;
      if (probe === undefined) return;
      member.triedAtMs = performance.now();
      member.isFresh = member.isDraining;
      this.#note(
        member,
        probe.isUsable ? { is: "usable", version: probe.version } : { is: "unusable", reason: probe.reason },
      );
    });
  }

  #note(member: Member, standing: Standing): void {
    const isNews = JSON.stringify(standing) !== JSON.stringify(member.standing);
    member.standing = standing;
    if (isNews) this.#log(member);
    // Before the start is over, it looks anyway.
    void this.refresh();
  }

  #log({ agent: { name }, standing }: Member): void {
    const { log } = this.#parts;
    if (standing.is === "usable")
      log.info(`agent '${name}' can be used${standing.version === "" ? "" : ` (${standing.version})`}`);
    else if (standing.is === "unusable") log.warn(`agent '${name}' cannot be used: ${standing.reason}`);
  }

  #tellIfChanged(): void {
    const shown = JSON.stringify(this.agentsHere());
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#parts.onChanged();
  }
}

function isAtHand({ standing, isThere, isDraining, isBeingTried }: Member): boolean {
  return standing.is === "usable" && isThere && !isDraining && !isBeingTried;
}

/** Who has not been tried out yet is known, but can do nothing. */
function presenceOf({ id, agent: { slots }, standing }: Member): Presence {
  switch (standing.is) {
    case "untried":
      return { id, slots: 0, problem: null, version: null };
    case "usable":
      return { id, slots, problem: null, version: standing.version || null };
    case "unusable":
      return { id, slots, problem: standing.reason, version: null };
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
