import type { Clock } from "../../platform/clock.ts";
import { type Database, isDatabaseUnavailable } from "../../platform/database/index.ts";
import { newId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log/index.ts";
import { effectiveCapabilities, everyRoleKind, type KnownAgent } from "./agent-store.ts";
import {
  endDraining,
  forgetNode,
  freeServed,
  type Presence,
  type RegisteredRow,
  savePresence,
  selectDraining,
  selectPresentWorkers,
  serveRegistered,
  upsertAgent,
} from "./presence-store.ts";
import { defaultProbeLimits, type ProbeLimits, Probes } from "./probes.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

export interface RegistryDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** This node's name. */
  readonly node: string;
  /** Agents of this node's own: built in, or from its config file. */
  readonly declared: readonly RunnableAgent[];
  /** Makes a registered agent runnable on this node. */
  readonly registeredAgent: (row: RegisteredRow) => RunnableAgent;
  /** Finds the tasks that nodes run for these agents. */
  readonly findRunning: (agentIds: readonly string[]) => Promise<readonly RunningTask[]>;
  /** Called after the set of agents that can take tasks here has changed. */
  readonly onChanged: () => void;
  readonly probeLimits?: ProbeLimits;
}

interface RunningTask {
  readonly agentId: string;
  readonly node: string;
}

/** Whether an agent can be used here, as the latest probe found. */
type ProbeState =
  | { readonly is: "unprobed" }
  | { readonly is: "usable"; readonly version: string }
  | { readonly is: "unusable"; readonly reason: string };

/** An agent that this node runs. */
interface Member {
  readonly id: string;
  readonly agent: RunnableAgent;
  /** A worker on another machine, which reports its own presence. */
  readonly isWorker: boolean;
  /** Aborted when another node serves the agent, or nobody does. */
  readonly leaving: AbortController;
  probeState: ProbeState;
  probedAtMs: number;
  isBeingProbed: boolean;
  /** False for a worker that has sent nothing lately. */
  isPresent: boolean;
  isDraining: boolean;
  /** Probed since it began to drain. */
  isProbedSinceDrain: boolean;
}

const presenceMs = 4_000;

/**
 * The agents that this node can run: its own, and registered ones, each served by one node at a time. The registry probes
 * them, reports their presence to the other nodes and restarts the ones that drain.
 */
export class Registry {
  readonly #deps: RegistryDeps;
  readonly #members = new Map<string, Member>();
  readonly #probes: Probes;
  readonly #retryMs: number;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;
  #refreshing: Promise<void> | undefined;
  #isRefreshDue = false;
  #lastReported = "";

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
    const { probeLimits = defaultProbeLimits } = deps;
    this.#probes = new Probes(probeLimits);
    this.#retryMs = probeLimits.retryMs;
  }

  /** Saves the node's own agents and starts to probe them; an agent whose probe answers at once is usable on return. */
  async start({ isAlone = false }: { isAlone?: boolean } = {}): Promise<void> {
    const { db, clock, declared } = this.#deps;
    if (isAlone) await freeServed(db);
    for (const agent of declared) {
      const { name, driver, capabilities } = agent;
      const id = newId("agent", clock.now().getTime());
      this.#add(await upsertAgent(db, { id, name, kind: driver.kind, capabilities }), agent);
    }
    this.#isRunning = true;
    await nextTick();
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh(), presenceMs).unref();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    clearInterval(this.#timer);
    this.#probes.stop();
    await this.#refreshing;
    await forgetNode(this.#deps.db, this.#deps.node).catch(() => undefined);
  }

  /** The agents that can take tasks here now, with their slots. */
  agentsHere(): KnownAgent[] {
    const here = [...this.#members.values()].filter(isAvailable);
    return here.map(({ id, agent: { name, slots, capabilities, driver } }) => ({
      ...{ id, name, slots },
      capabilities: effectiveCapabilities(driver.kind, capabilities),
      offersEveryRole: driver.kind === everyRoleKind,
    }));
  }

  /** The agent, even while it drains. */
  find(id: string): RunnableAgent | undefined {
    return this.#members.get(id)?.agent;
  }

  /** Tasks have ended: a draining agent that waited for them restarts without waiting for the next refresh. */
  noteTasksEnded(): void {
    if ([...this.#members.values()].some(({ isDraining }) => isDraining)) void this.refresh();
  }

  /** Reads what other nodes changed and reports this node's agents. A call during a refresh makes it run once more. */
  async refresh(): Promise<void> {
    if (!this.#isRunning) return;
    this.#isRefreshDue = true;
    this.#refreshing ??= this.#refreshAll().finally(() => {
      this.#refreshing = undefined;
      if (this.#isRefreshDue) void this.refresh();
    });
    await this.#refreshing;
  }

  async #refreshAll(): Promise<void> {
    while (this.#isRefreshDue && this.#isRunning) {
      this.#isRefreshDue = false;
      try {
        await this.#refreshOnce();
      } catch (error) {
        const details = { err: error };
        if (isDatabaseUnavailable(error)) this.#deps.log.debug(details, "the agent registry waits for the database");
        else this.#deps.log.warn(details, "the agent registry could not be refreshed");
      }
    }
  }

  async #refreshOnce(): Promise<void> {
    const { db, node } = this.#deps;
    this.#takeRegistered(await serveRegistered(db, node));
    const members = [...this.#members.values()];
    if (members.some(({ isWorker }) => isWorker)) {
      const present = await selectPresentWorkers(db);
      for (const member of members) if (member.isWorker) member.isPresent = present.has(member.id);
    }
    await this.#restartDraining(members);
    for (const member of members) this.#probeIfDue(member);
    // Workers report their own presence.
    await savePresence(db, node, members.filter(({ isWorker }) => !isWorker).map(presenceOf));
    this.#notifyIfChanged();
  }

  /** Adds and drops registered agents: they come and go, and move to other nodes. */
  #takeRegistered(rows: readonly RegisteredRow[]): void {
    const served = new Set(rows.map(({ id }) => id));
    const own = new Set(this.#deps.declared);
    for (const { id, agent, leaving } of this.#members.values()) {
      if (own.has(agent) || served.has(id)) continue;
      leaving.abort();
      this.#members.delete(id);
    }
    for (const row of rows) {
      if (this.#members.has(row.id)) continue;
      try {
        this.#add(row.id, this.#deps.registeredAgent(row), row.kind === "worker");
      } catch (error) {
        // The other agents must not suffer from one that cannot run.
        this.#deps.log.warn({ err: error }, `agent '${row.name}' cannot be run by this version`);
      }
    }
  }

  #add(id: string, agent: RunnableAgent, isWorker = false): void {
    const member: Member = {
      id,
      agent,
      isWorker,
      leaving: new AbortController(),
      probeState: { is: "unprobed" },
      probedAtMs: -Infinity,
      isBeingProbed: false,
      isPresent: !isWorker,
      isDraining: false,
      isProbedSinceDrain: false,
    };
    this.#members.set(id, member);
    this.#probe(member);
  }

  /** A draining agent finishes its tasks here and is probed; it takes tasks again once that holds on every node. */
  async #restartDraining(members: readonly Member[]): Promise<void> {
    const { db, node, findRunning } = this.#deps;
    const draining = await selectDraining(db);
    const running = draining.size === 0 ? [] : await findRunning([...draining]);
    for (const member of members) {
      const isBusyHere = running.some((task) => task.agentId === member.id && task.node === node);
      member.isDraining = draining.has(member.id);
      if (!member.isDraining || isBusyHere) member.isProbedSinceDrain = false;
      else if (!member.isProbedSinceDrain) this.#probe(member);
    }
    const busy = new Set(running.map(({ agentId }) => agentId));
    const ready = members.filter((one) => one.isDraining && one.isProbedSinceDrain && !busy.has(one.id));
    if (ready.length === 0) return;
    const ended = new Set(
      await endDraining(
        db,
        ready.map(({ id }) => id),
      ),
    );
    for (const member of ready) {
      if (!ended.has(member.id)) continue;
      member.isDraining = false;
      member.isProbedSinceDrain = false;
    }
  }

  #probeIfDue(member: Member): void {
    const isDue = performance.now() - member.probedAtMs > this.#retryMs;
    if (member.probeState.is === "unusable" && isDue) this.#probe(member);
  }

  #probe(member: Member): void {
    if (member.isBeingProbed) return;
    member.isBeingProbed = true;
    void this.#probes.probe(member.agent, member.leaving.signal).then((probe) => {
      member.isBeingProbed = false;
      if (probe === undefined) return;
      member.probedAtMs = performance.now();
      member.isProbedSinceDrain = member.isDraining;
      this.#setProbeState(
        member,
        probe.isUsable ? { is: "usable", version: probe.version } : { is: "unusable", reason: probe.reason },
      );
    });
  }

  #setProbeState(member: Member, probeState: ProbeState): void {
    const isNew = JSON.stringify(probeState) !== JSON.stringify(member.probeState);
    member.probeState = probeState;
    if (isNew) this.#log(member);
    // Does nothing before the start is over, which refreshes anyway.
    void this.refresh();
  }

  #log({ agent: { name }, probeState }: Member): void {
    const { log } = this.#deps;
    if (probeState.is === "usable")
      log.info(`agent '${name}' can be used${probeState.version === "" ? "" : ` (${probeState.version})`}`);
    else if (probeState.is === "unusable") log.warn(`agent '${name}' cannot be used: ${probeState.reason}`);
  }

  #notifyIfChanged(): void {
    const available = JSON.stringify(this.agentsHere());
    if (available === this.#lastReported) return;
    this.#lastReported = available;
    this.#deps.onChanged();
  }
}

function isAvailable({ probeState, isPresent, isDraining, isBeingProbed }: Member): boolean {
  return probeState.is === "usable" && isPresent && !isDraining && !isBeingProbed;
}

/** An agent that was not probed yet is known to the other nodes, but offers no slots. */
function presenceOf({ id, agent: { slots }, probeState }: Member): Presence {
  switch (probeState.is) {
    case "unprobed":
      return { id, slots: 0, problem: null, version: null };
    case "usable":
      return { id, slots, problem: null, version: probeState.version || null };
    case "unusable":
      return { id, slots, problem: probeState.reason, version: null };
  }
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
