import { Answers, type Database, isDatabaseUnavailable, pipelinedTransaction } from "../../platform/database/index.ts";
import type { Log } from "../../platform/log/index.ts";
import { pause } from "../../platform/pause.ts";
import { WakeUp } from "../../platform/wake-up/index.ts";
import {
  type Claim,
  type ClaimedJob,
  claimJobs,
  enqueueAndClaimJobs,
  type MetDemand,
  selectQueues,
} from "../jobs/index.ts";
import type { CommitDeps, CommitResult } from "./batch-commit.ts";
import { Drained } from "./drained.ts";
import { JobsInFlight } from "./jobs-in-flight.ts";
import { performJob } from "./perform-job.ts";
import type { Steps } from "./ports.ts";
import { fittingPrefix } from "./queues.ts";
import { type Finished, type Result, settleResults, type Verdict } from "./results.ts";
import { allSlots, countSlots, freeSlots, type LocalAgent, type Slots } from "./slots.ts";

export interface RunnerDeps extends CommitDeps {
  readonly db: Database;
  readonly log: Log;
  readonly steps: Steps;
  /** This node's name, unlike any other's. */
  readonly node: string;
  /** The agents that this node can run, and how many tasks each may do at a time here. */
  readonly agentsHere: () => readonly LocalAgent[];
  /** After each commit that changed something. */
  readonly onCommit: (result: CommitResult) => void;
  readonly leaseMs?: number;
}

/** Saves the results of its projects, one transaction after the other. */
interface Lane {
  readonly wakeUp: WakeUp;
  readonly finished: Finished[];
  /** What the transaction that is under way settles. */
  settling: readonly Finished[];
  /** Hands that are promised to what that transaction takes. */
  promised: readonly Slots[];
  /** It found hands free, but promised to another lane. */
  isShort: boolean;
}

/** While one lane waits for the database, the other's results are worked out. Each project has its lane: none waits for locks. */
const laneCount = 2;
/** As many results as one transaction settles at most. */
const maxSettled = 500;
/** Wake-ups are hints that may get lost: without any, it is looked this often. */
const pollMs = 1_000;

/**
 * Takes jobs, has them done, and settles what is finished. While a lane's transaction is under way, what finishes
 * meanwhile is collected and becomes the next one; so the busier it is, the more each transaction carries.
 */
export class Runner {
  readonly #parts: RunnerDeps;
  readonly #leaseMs: number;
  readonly #inFlight: JobsInFlight;
  readonly #lanes = Array.from({ length: laneCount }, newLane);
  readonly #stopping = new AbortController();
  #fittingQueues = new Set<string>();
  #queuesKnownAtMs = -Infinity;
  readonly #drained = new Drained();
  #looking: Promise<void> | undefined;
  #running: Promise<unknown> | undefined;

  constructor(parts: RunnerDeps) {
    this.#parts = parts;
    this.#leaseMs = parts.leaseMs ?? 10_000;
    this.#inFlight = new JobsInFlight({
      db: parts.db,
      leaseMs: this.#leaseMs,
      isBeingSettled: (job) => this.#isBeingSettled(job),
      onEnded: () => this.#lookAround(),
    });
  }

  start(): void {
    this.#running ??= Promise.all(this.#lanes.map((lane) => this.#run(lane)));
  }

  /** Ends what is under way and gives it back, for others to go on with at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const { wakeUp } of this.#lanes) wakeUp.wake();
    await this.#running;
    for (const { finished } of this.#lanes) tellAll(finished.splice(0), "lost");
    await this.#inFlight.stop();
  }

  /** There may be something to do in the queue. */
  wake(queue?: string): void {
    if (queue?.startsWith(fittingPrefix)) this.#fittingQueues.add(queue);
    this.#lookAround();
  }

  /** Jobs may have been taken away: whoever is at one of them must stop. */
  checkOwn(): void {
    this.#inFlight.suspectLoss();
    this.#lookAround();
  }

  /** One lane is enough to look at the queues; the others do it beside what they settle. */
  #lookAround(): void {
    this.#drained.wake();
    this.#lanes[0]!.wakeUp.wake();
  }

  async #run(lane: Lane): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      try {
        const hasMore = await this.#takeTurn(lane);
        failures = 0;
        if (!hasMore) await lane.wakeUp.wait(pollMs);
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
    const finished = lane.finished.splice(0, maxSettled);
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
      for (const other of this.#lanes) if (other !== lane && other.isShort) other.wakeUp.wake();
    }
  }

  async #lookAfterJobs(): Promise<void> {
    await this.#inFlight.look();
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
      this.#inFlight.forget(one.job);
      one.onVerdict("lost");
    }
  }

  /** Saves what is finished and takes new jobs, those that follow from it among them, in one transaction. */
  async #settleAndClaim(lane: Lane, finished: readonly Finished[]): Promise<boolean> {
    const { turn, verdicts, result, claimed } = await pipelinedTransaction(this.#parts.db, async (trx) => {
      const { turn, verdicts } = await settleResults(trx, this.#parts, finished);
      // What is over by then has its hands free for what follows from it.
      const over = finished.filter((one) => verdicts.get(one) !== "stale").map(({ job }) => job.id);
      lane.promised = this.#freeSlots(lane, new Set(over));
      const answers = new Answers();
      let claimed: Promise<readonly MetDemand[]> = Promise.resolve([]);
      const result = await turn.send(answers, async (jobs) => {
        const isDrained = this.#drained.isKnown;
        const noteFound = this.#drained.look();
        const taking = await enqueueAndClaimJobs(trx, jobs, this.#claimOf(lane), { isDrained });
        for (const answer of taking.answers) answers.add(answer);
        claimed = taking.claimed;
        answers.add(claimed);
        const isEmpty = taking.isDrained && this.#asksForAll(lane);
        // Not looked: what was known is no fresher now.
        if (!isDrained || !isEmpty) noteFound(isEmpty);
      });
      return { value: { turn, verdicts, result, claimed }, answers: answers.all };
    });
    turn.remember();
    for (const one of finished) this.#tellVerdict(one, verdicts.get(one) ?? "lost");
    this.#noteResult(result);
    return this.#beginAll(lane, await claimed);
  }

  async #claim(lane: Lane): Promise<boolean> {
    if (this.#drained.isKnown) return false;
    lane.promised = this.#freeSlots(lane);
    if (lane.promised.length === 0) return false;
    const noteFound = this.#drained.look();
    const claimed = await claimJobs(this.#parts.db, this.#claimOf(lane));
    const met = lane.promised.map((_, at) => claimed.filter(({ demand }) => demand === at).length);
    noteFound(this.#asksForAll(lane) && lane.promised.every(({ most }, at) => met[at]! < most));
    return this.#beginAll(lane, claimed);
  }

  /** Hands that are busy are not asked for: what lies in their queues is not known then. */
  #asksForAll({ promised }: Lane): boolean {
    return promised.length === this.#allSlots().length;
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
    if (verdict !== "stale") this.#inFlight.forget(one.job);
    one.onVerdict(verdict);
  }

  #noteResult(result: CommitResult): void {
    for (const queue of result.queues) if (queue.startsWith(fittingPrefix)) this.wake(queue);
    if (result.dropped.size > 0) this.#inFlight.suspectLoss();
    this.#parts.onCommit(result);
  }

  #allSlots(): Slots[] {
    return allSlots(this.#parts.agentsHere(), this.#fittingQueues);
  }

  /** Whose hands are free for the lane, or will be when these jobs of its own are over. */
  #freeSlots(lane: Lane, over: ReadonlySet<number> = new Set()): Slots[] {
    const inFlight = [...this.#inFlight.slots()].map(({ id, name }) => ({ name, count: 1, isOver: over.has(id) }));
    const others = this.#lanes.filter((other) => other !== lane).flatMap(({ promised }) => promised);
    const { free, isShort } = freeSlots(this.#allSlots(), {
      busy: countSlots(inFlight.filter(({ isOver }) => !isOver)),
      freed: countSlots(inFlight.filter(({ isOver }) => isOver)),
      promised: countSlots(others.map(({ name, most }) => ({ name, count: most }))),
      laneCount,
    });
    lane.isShort = isShort;
    return free;
  }

  #begin(job: ClaimedJob, { name, agentId }: Slots): void {
    const { db, plans, steps, log } = this.#parts;
    const finish = (result: Result) => this.#finish(job, result);
    this.#inFlight.begin(job, name, (signal) => performJob({ db, plans, steps, log, job, agentId, signal, finish }));
  }

  #finish(job: ClaimedJob, result: Result): Promise<Verdict> {
    // Somebody else may have it by now, or nobody: then there is nothing to settle.
    if (!this.#inFlight.has(job) || this.#stopping.signal.aborted) return Promise.resolve("lost");
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const lane = this.#laneOf(job.groupId);
    lane.finished.push({ job, result, onVerdict: resolve });
    lane.wakeUp.wake();
    return promise;
  }

  #laneOf(projectId: string): Lane {
    // Ids end by chance.
    return this.#lanes[projectId.charCodeAt(projectId.length - 1) % laneCount]!;
  }

  #isBeingSettled({ id, groupId }: ClaimedJob): boolean {
    const { finished, settling } = this.#laneOf(groupId);
    return [finished, settling].some((results) => results.some(({ job }) => job.id === id));
  }

  /** Which kinds of agents are waited for, also by what other nodes have begun. */
  async #knowQueues(): Promise<void> {
    const now = performance.now();
    if (now - this.#queuesKnownAtMs < pollMs) return;
    this.#fittingQueues = new Set(await selectQueues(this.#parts.db, fittingPrefix));
    this.#queuesKnownAtMs = now;
  }
}

function newLane(): Lane {
  return { wakeUp: new WakeUp(), finished: [], settling: [], promised: [], isShort: false };
}

function tellAll(finished: readonly Finished[], verdict: Verdict): void {
  for (const { onVerdict } of finished) onVerdict(verdict);
}
