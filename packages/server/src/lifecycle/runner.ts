import { Bell } from "../bell.ts";
import { type Database, isDatabaseUnavailable } from "../database/index.ts";
import {
  type Claim,
  type ClaimedJob,
  claimJobs,
  enqueueAndClaimJobs,
  giveBackJobs,
  type MetDemand,
  putOffJobs,
  renewLeases,
  selectOwnJobs,
  selectQueues,
} from "../jobs/index.ts";
import type { Log } from "../log.ts";
import { performJob } from "./perform-job.ts";
import type { Steps } from "./ports.ts";
import { agentQueue, capabilitiesOf, engineQueue, fittingPrefix, stepsQueue } from "./queues.ts";
import { type Finished, type Result, settleResults, type Verdict } from "./results.ts";
import { Turn, type TurnParts, type TurnResult } from "./turn.ts";

export interface RunnerParts extends TurnParts {
  readonly db: Database;
  readonly log: Log;
  readonly steps: Steps;
  /** This node's name, unlike any other's. */
  readonly node: string;
  /** The agents that this node can run, and how many tasks each may do at a time here. */
  readonly agentsHere: () => readonly LocalAgent[];
  /** After each commit that changed something. */
  readonly onTurn: (result: TurnResult) => void;
  readonly leaseMs?: number;
}

interface LocalAgent {
  readonly id: string;
  readonly slots: number;
  readonly capabilities: readonly string[];
}

/** Free hands: the agent's, or the engine's own where there is none. */
interface Hands {
  readonly name: string;
  readonly queues: readonly string[];
  readonly most: number;
  readonly agentId: string;
}

interface UnderWay {
  readonly job: ClaimedJob;
  /** Whose hands are at it. */
  readonly hands: string;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** Saves the results of its projects, one transaction after the other. */
interface Lane {
  readonly bell: Bell;
  readonly finished: Finished[];
  /** What the transaction that is under way settles. */
  settling: readonly Finished[];
  /** Hands that are promised to what that transaction takes. */
  promised: readonly Hands[];
  /** It found hands free, but promised to another lane. */
  isShort: boolean;
}

/** While one lane waits for the database, the other's results are worked out. Each project has its lane: none waits for locks. */
const laneCount = 2;
/** From so many free hands on, each lane takes its share of them; fewer go to the one that comes first. */
const handsToShare = 16;
/** How many steps and engine jobs are under way at once. */
const stepHands = 4;
const engineHands = 200;
/** As many results as one transaction settles at most. */
const mostSettled = 500;
/** For so long it is believed that there is nothing more: what becomes due by itself may wait that long. */
const drainedForMs = 50;
/** Wake-ups are hints that may get lost: without any, it is looked this often. */
const lookMs = 1_000;

/**
 * Takes jobs, has them done, and settles what is finished. While a lane's transaction is under way, what finishes
 * meanwhile is collected and becomes the next one; so the busier it is, the more each transaction carries.
 */
export class Runner {
  readonly #parts: RunnerParts;
  readonly #leaseMs: number;
  readonly #underWay = new Map<number, UnderWay>();
  /** Ended without a result: somebody must try them again. */
  readonly #unfinished: ClaimedJob[] = [];
  readonly #lanes = Array.from({ length: laneCount }, newLane);
  readonly #stopping = new AbortController();
  #fittingQueues = new Set<string>();
  #queuesKnownAtMs = -Infinity;
  #leasesKeptAtMs = performance.now();
  #mayHaveLost = false;
  /** When all queues were last found empty, and nothing has been heard since. */
  #drainedAtMs = -Infinity;
  #looking: Promise<void> | undefined;
  #running: Promise<unknown> | undefined;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#leaseMs = parts.leaseMs ?? 10_000;
  }

  start(): void {
    this.#running ??= Promise.all(this.#lanes.map((lane) => this.#run(lane)));
  }

  /** Ends what is under way and gives it back, for others to go on with at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const { bell } of this.#lanes) bell.ring();
    await this.#running;
    const left = [...this.#underWay.values()];
    for (const { abort } of left) abort.abort(new Error("The service stops."));
    for (const { finished } of this.#lanes) tellAll(finished.splice(0), "lost");
    // Who does not stop when told is left behind: by then others could take its job anyway.
    const allEnded = new AbortController();
    const ends = Promise.allSettled(left.map(({ ended }) => ended)).then(() => allEnded.abort());
    await Promise.race([ends, pause(this.#leaseMs, allEnded.signal)]);
    const jobs = [...left.map(({ job }) => job), ...this.#unfinished];
    if (jobs.length > 0) await giveBackJobs(this.#parts.db, jobs).catch(() => undefined);
  }

  /** There may be something to do in the queue. */
  ring(queue?: string): void {
    if (queue?.startsWith(fittingPrefix)) this.#fittingQueues.add(queue);
    this.#lookAround();
  }

  /** Jobs may have been taken away: whoever is at one of them must stop. */
  checkOwn(): void {
    this.#mayHaveLost = true;
    this.#lookAround();
  }

  /** One lane is enough to look at the queues; the others do it beside what they settle. */
  #lookAround(): void {
    this.#drainedAtMs = -Infinity;
    this.#lanes[0]!.bell.ring();
  }

  async #run(lane: Lane): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      try {
        const hasMore = await this.#takeTurn(lane);
        failures = 0;
        if (!hasMore) await lane.bell.wait(lookMs);
      } catch (error) {
        failures += 1;
        if (isDatabaseUnavailable(error)) this.#parts.log.debug({ err: error }, "The engine waits for the database.");
        else this.#parts.log.error({ err: error }, "A turn of the engine failed.");
        await pause(Math.min(50 * 2 ** failures, 2_000), this.#stopping.signal);
      }
    }
  }

  /** Whether there may be more to do at once. */
  async #takeTurn(lane: Lane): Promise<boolean> {
    // Before anything is taken: after the database was away, what is under way here must not be taken a second time.
    this.#looking ??= this.#lookAfterJobs().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
    const finished = lane.finished.splice(0, mostSettled);
    lane.settling = finished;
    try {
      const hasBegun = finished.length > 0 ? await this.#settleAndClaim(lane, finished) : await this.#claim(lane);
      return hasBegun || lane.finished.length > 0;
    } catch (error) {
      if (isDatabaseUnavailable(error) || finished.length === 0) {
        lane.finished.unshift(...finished);
        throw error;
      }
      this.#parts.log.error({ err: error }, "Results could not be saved together; they are tried one by one.");
      for (const one of finished) await this.#settleAlone(lane, one);
      return true;
    } finally {
      lane.settling = [];
      lane.promised = [];
      for (const other of this.#lanes) if (other !== lane && other.isShort) other.bell.ring();
    }
  }

  async #lookAfterJobs(): Promise<void> {
    await this.#keepLeases();
    await this.#putOffUnfinished();
    await this.#knowQueues();
  }

  /** One that cannot be saved must not keep the others from it. Its lease ends, and it is done again. */
  async #settleAlone(lane: Lane, one: Finished): Promise<void> {
    try {
      await this.#settleAndClaim(lane, [one]);
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        lane.finished.push(one);
        return;
      }
      this.#parts.log.error({ err: error, project_id: one.job.groupId }, "A result could not be saved.");
      this.#forget(one.job);
      one.onVerdict("lost");
    }
  }

  /** Saves what is finished and takes new jobs, those that follow from it among them, in one transaction. */
  async #settleAndClaim(lane: Lane, finished: readonly Finished[]): Promise<boolean> {
    let claimed: MetDemand[] = [];
    const { turn, verdicts, result } = await this.#parts.db.transaction().execute(async (trx) => {
      const projectIds = finished.map(({ job }) => job.groupId);
      const turn = await Turn.open(trx, this.#parts, projectIds);
      const verdicts = await settleResults(trx, turn, finished);
      // What is over by then has its hands free for what follows from it.
      const over = finished.filter((one) => verdicts.get(one) !== "stale").map(({ job }) => job.id);
      lane.promised = this.#freeHands(lane, new Set(over));
      const result = await turn.save(async (jobs) => {
        const isDrained = performance.now() - this.#drainedAtMs < drainedForMs;
        const found = await enqueueAndClaimJobs(trx, jobs, this.#claimOf(lane), { isDrained });
        claimed = found.claimed;
        // Hands that are busy were not asked for: what lies in their queues is not known.
        if (!found.isDrained || lane.promised.length < this.#allHands().length) this.#drainedAtMs = -Infinity;
        else if (!isDrained) this.#drainedAtMs = performance.now();
      });
      return { turn, verdicts, result };
    });
    turn.remember();
    for (const one of finished) this.#tellVerdict(one, verdicts.get(one) ?? "lost");
    this.#noteResult(result);
    return this.#beginAll(lane, claimed);
  }

  async #claim(lane: Lane): Promise<boolean> {
    lane.promised = this.#freeHands(lane);
    if (lane.promised.length === 0) return false;
    return this.#beginAll(lane, await claimJobs(this.#parts.db, this.#claimOf(lane)));
  }

  #claimOf({ promised }: Lane): Claim {
    return { node: this.#parts.node, leaseMs: this.#leaseMs, demands: promised };
  }

  #beginAll({ promised }: Lane, claimed: readonly MetDemand[]): boolean {
    for (const { demand, ...job } of claimed) this.#begin(job, promised[demand]!);
    return claimed.length > 0;
  }

  #tellVerdict(one: Finished, verdict: Verdict): void {
    // A stale result is merged anew, and its job goes on.
    if (verdict !== "stale") this.#forget(one.job);
    one.onVerdict(verdict);
  }

  /** It is over. This node may have taken the same job once more since: then that goes on. */
  #forget({ id, fence }: ClaimedJob): void {
    if (this.#underWay.get(id)?.job.fence === fence) this.#underWay.delete(id);
  }

  #noteResult(result: TurnResult): void {
    for (const queue of result.queues) if (queue.startsWith(fittingPrefix)) this.ring(queue);
    if (result.dropped.size > 0) this.#mayHaveLost = true;
    this.#parts.onTurn(result);
  }

  /** Whose hands are free for the lane, or will be when these jobs of its own are over. */
  /** The engine's own, and those of the agents that are here. */
  #allHands(): Hands[] {
    const own: Hands[] = [
      { name: engineQueue, queues: [engineQueue], most: engineHands, agentId: "" },
      { name: stepsQueue, queues: [stepsQueue], most: stepHands, agentId: "" },
    ];
    const agents = this.#parts.agentsHere().map(({ id, slots, capabilities }): Hands => {
      const fitting = [...this.#fittingQueues].filter((queue) =>
        capabilitiesOf(queue).every((capability) => capabilities.includes(capability)),
      );
      return { name: agentQueue(id), queues: [agentQueue(id), ...fitting], most: slots, agentId: id };
    });
    return [...own, ...agents];
  }

  #freeHands(lane: Lane, over: ReadonlySet<number> = new Set()): Hands[] {
    const busy = new Map<string, number>();
    const freed = new Map<string, number>();
    for (const [id, { hands }] of this.#underWay) {
      const counts = over.has(id) ? freed : busy;
      counts.set(hands, (counts.get(hands) ?? 0) + 1);
    }
    const promised = new Map<string, number>();
    for (const { name, most } of this.#lanes.flatMap((other) => (other === lane ? [] : other.promised)))
      promised.set(name, (promised.get(name) ?? 0) + most);
    lane.isShort = false;
    return this.#allHands().flatMap((hands) => {
      const free = hands.most - (busy.get(hands.name) ?? 0);
      const left = free - (promised.get(hands.name) ?? 0);
      if (free > 0 && left <= 0) lane.isShort = true;
      if (left <= 0) return [];
      const own = freed.get(hands.name) ?? 0;
      const share = own + Math.ceil((free - own) / laneCount);
      return [{ ...hands, most: free < handsToShare ? left : Math.min(left, share) }];
    });
  }

  #begin(job: ClaimedJob, { name, agentId }: Hands): void {
    const known = this.#underWay.get(job.id);
    known?.abort.abort(new Error("The lease was lost."));
    const abort = new AbortController();
    const { db, plans, steps, log } = this.#parts;
    const context = {
      db,
      plans,
      steps,
      log,
      job,
      agentId,
      signal: abort.signal,
      finish: (result: Result) => this.#finish(job, result),
    };
    // Never two at one task: whoever had it here before must be gone first.
    const ended = Promise.resolve(known?.ended)
      .then(() => performJob(context))
      .then(() => this.#noteEnd(job, abort.signal));
    this.#underWay.set(job.id, { job, hands: name, abort, ended });
  }

  /** What ended without a result must not be held for ever. */
  #noteEnd(job: ClaimedJob, signal: AbortSignal): void {
    if (signal.aborted || this.#underWay.get(job.id)?.job !== job) return;
    this.#underWay.delete(job.id);
    this.#unfinished.push(job);
    this.#lookAround();
  }

  async #putOffUnfinished(): Promise<void> {
    if (this.#unfinished.length === 0) return;
    const jobs = [...this.#unfinished];
    await putOffJobs(this.#parts.db, jobs);
    this.#unfinished.splice(0, jobs.length);
  }

  #finish(job: ClaimedJob, result: Result): Promise<Verdict> {
    // Somebody else may have it by now, or nobody: then there is nothing to settle.
    if (this.#underWay.get(job.id)?.job.fence !== job.fence || this.#stopping.signal.aborted)
      return Promise.resolve("lost");
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const lane = this.#laneOf(job.groupId);
    lane.finished.push({ job, result, onVerdict: resolve });
    lane.bell.ring();
    return promise;
  }

  #laneOf(projectId: string): Lane {
    // Ids end by chance.
    return this.#lanes[projectId.charCodeAt(projectId.length - 1) % laneCount]!;
  }

  /** Says that this node still lives and is at its jobs, and stops what it has lost. */
  async #keepLeases(): Promise<void> {
    const now = performance.now();
    const isDue = now - this.#leasesKeptAtMs > this.#leaseMs / 3;
    if (!isDue && !this.#mayHaveLost) return;
    const jobs = [...this.#underWay.values()].map(({ job }) => job);
    // Before it is looked: what is taken away meanwhile is looked for once more.
    this.#mayHaveLost = false;
    try {
      if (isDue && jobs.length > 0) await renewLeases(this.#parts.db, jobs, this.#leaseMs);
      const own = jobs.length > 0 ? await selectOwnJobs(this.#parts.db, jobs) : new Set();
      for (const job of jobs) if (!own.has(job.id)) this.#lose(job);
    } catch (error) {
      this.#mayHaveLost = true;
      throw error;
    }
    if (isDue) this.#leasesKeptAtMs = now;
  }

  #lose(job: ClaimedJob): void {
    const { id } = job;
    const lost = this.#underWay.get(id);
    // Taken anew meanwhile, or its result is on its way: the settling will tell.
    if (lost?.job.fence !== job.fence || this.#isBeingSettled(job)) return;
    lost.abort.abort(new Error("The result is no longer wanted."));
    // Its hands are busy until it has really ended.
    void lost.ended.finally(() => {
      if (this.#underWay.get(id) === lost) this.#underWay.delete(id);
      this.#lookAround();
    });
  }

  #isBeingSettled({ id, groupId }: ClaimedJob): boolean {
    const { finished, settling } = this.#laneOf(groupId);
    return [finished, settling].some((results) => results.some(({ job }) => job.id === id));
  }

  /** Which kinds of agents are waited for, also by what other nodes have begun. */
  async #knowQueues(): Promise<void> {
    const now = performance.now();
    if (now - this.#queuesKnownAtMs < lookMs) return;
    this.#fittingQueues = new Set(await selectQueues(this.#parts.db, fittingPrefix));
    this.#queuesKnownAtMs = now;
  }
}

function newLane(): Lane {
  return { bell: new Bell(), finished: [], settling: [], promised: [], isShort: false };
}

function tellAll(finished: readonly Finished[], verdict: Verdict): void {
  for (const { onVerdict } of finished) onVerdict(verdict);
}

function pause(ms: number, until: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  until.addEventListener("abort", () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
