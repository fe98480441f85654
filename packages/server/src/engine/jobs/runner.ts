import { Answers, type Database, isDatabaseUnavailable, pipelinedTransaction } from "../../platform/database/index.ts";
import type { Log } from "../../platform/log/index.ts";
import { PollLoop } from "../../platform/wake-up/index.ts";
import { EmptyQueues } from "./empty-queues.ts";
import { JobsInFlight } from "./jobs-in-flight.ts";
import { defaultLeaseMs, NodeLease } from "./leases.ts";
import { offerPrefix } from "./queues.ts";
import { selectQueues } from "./read-jobs-store.ts";
import type { Finished, JobCommit, SettleJobs, Verdict } from "./settlement.ts";
import { countSlots, freeSlots, type LocalAgent, type SlotGroup, slotGroups } from "./slots.ts";
import { type Claim, type ClaimedJob, claimJobs, enqueueAndClaimJobs, type MetDemand, moveJob } from "./store.ts";

/** A claimed job on its way to a result. */
export interface RunningJob<Result> {
  readonly job: ClaimedJob;
  /** Whose slot it occupies; empty for the engine's own. */
  readonly agentId: string;
  /** Aborted when the result is no longer wanted. */
  readonly signal: AbortSignal;
  /** Aborted when another node may be at the same job: whatever acts on the world outside must stop then. */
  readonly leaseSignal: () => AbortSignal;
  readonly finish: (result: Result) => Promise<Verdict>;
  /** Leaves the job to the nodes of another data folder; false if none of them lives, or the claim no longer holds. */
  readonly handOver: (host: string) => Promise<boolean>;
}

export interface JobRunnerDeps<Result, Commit extends JobCommit> {
  readonly db: Database;
  readonly log: Log;
  /** This node's name, unlike any other's. */
  readonly node: string;
  /** Names its data folder; left out: steps that need one are not done here. */
  readonly host?: string;
  /** The agents that this node can run, and how many tasks each may do at a time here. */
  readonly agentsHere: () => readonly LocalAgent[];
  /** Does a job and finishes it; without a result, the job is tried again later. Never throws. */
  readonly perform: (running: RunningJob<Result>) => Promise<void>;
  readonly settle: SettleJobs<Result, Commit>;
  /** After each commit that changed something. */
  readonly onCommit: (commit: Commit) => void;
  readonly leaseMs?: number | undefined;
}

/** Settles the results of its groups, one transaction after the other. */
interface SettleLoop<Result> {
  readonly poll: PollLoop;
  readonly finished: Finished<Result>[];
  /** What the open transaction settles. */
  settling: readonly Finished<Result>[];
  /** Slots reserved for what that transaction claims. */
  reserved: readonly SlotGroup[];
  /** Slots are idle, but another loop has reserved them. */
  isShort: boolean;
}

/** While one loop waits for the database, the other works its results out. A group belongs to one loop: no lock is waited for. */
const loopCount = 2;
/** How many results one transaction settles at most. */
const maxBatchSize = 500;
const pollMs = 1_000;

/**
 * Claims jobs, has them performed, and settles what is finished. Results that finish while a transaction is open become
 * the next batch: the busier the node, the more each transaction carries.
 */
export class JobRunner<Result, Commit extends JobCommit> {
  readonly #deps: JobRunnerDeps<Result, Commit>;
  readonly #leaseMs: number;
  readonly #lease: NodeLease;
  readonly #inFlight: JobsInFlight;
  readonly #loops: readonly SettleLoop<Result>[];
  readonly #empty = new EmptyQueues();
  #offerQueues = new Set<string>();
  #queuesReadAtMs = -Infinity;
  #upkeep: Promise<void> | undefined;
  #isStopping = false;

  constructor(deps: JobRunnerDeps<Result, Commit>) {
    this.#deps = deps;
    this.#leaseMs = deps.leaseMs ?? defaultLeaseMs;
    this.#lease = new NodeLease({ db: deps.db, node: deps.node, leaseMs: this.#leaseMs, host: deps.host });
    this.#inFlight = new JobsInFlight({
      db: deps.db,
      node: deps.node,
      leaseMs: this.#leaseMs,
      patienceMs: this.#leaseMs,
      isBeingSettled: (job) => this.#isBeingSettled(job),
      onEnded: () => this.#wakeOne(),
    });
    this.#loops = Array.from({ length: loopCount }, () => this.#newLoop());
  }

  start(): void {
    for (const { poll } of this.#loops) poll.start();
  }

  /** Stops all work and releases it, for other nodes to go on with at once. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#loops.map(({ poll }) => poll.stop()));
    for (const { finished } of this.#loops) for (const { onVerdict } of finished.splice(0)) onVerdict("lost");
    await this.#inFlight.stop();
    await this.#lease.end().catch(() => undefined);
  }

  /** There may be a job in the queue. */
  wake(queue?: string): void {
    if (queue?.startsWith(offerPrefix)) this.#offerQueues.add(queue);
    this.#wakeOne();
  }

  /** Jobs may have been revoked: work on them must stop. */
  checkOwn(): void {
    this.#inFlight.suspectLoss();
    this.#wakeOne();
  }

  /** One loop is enough to poll the queues; the others do so beside what they settle. */
  #wakeOne(): void {
    this.#empty.wake();
    this.#loops[0]!.poll.wake();
  }

  #newLoop(): SettleLoop<Result> {
    const { log } = this.#deps;
    const poll = new PollLoop({ name: "The engine", log, step: () => this.#step(loop) });
    const loop: SettleLoop<Result> = { poll, finished: [], settling: [], reserved: [], isShort: false };
    return loop;
  }

  /** Settles a batch and claims new jobs; answers how long to wait for the next step. */
  async #step(loop: SettleLoop<Result>): Promise<number> {
    // Before anything is claimed: after the database was away, a job that runs here must not be claimed a second time.
    this.#upkeep ??= this.#keepUp().finally(() => {
      this.#upkeep = undefined;
    });
    await this.#upkeep;
    const finished = loop.finished.splice(0, maxBatchSize);
    loop.settling = finished;
    try {
      const hasBegun = finished.length > 0 ? await this.#settleAndClaim(loop, finished) : await this.#claim(loop);
      return hasBegun || loop.finished.length > 0 ? 0 : Math.min(pollMs, this.#leaseMs / 4);
    } catch (error) {
      this.#inFlight.suspectUnknown();
      if (isDatabaseUnavailable(error) || finished.length === 0) {
        loop.finished.unshift(...finished);
        throw error;
      }
      this.#deps.log.error({ err: error }, "A batch of results could not be saved; each is saved by itself.");
      for (const one of finished) await this.#settleAlone(loop, one);
      return 0;
    } finally {
      loop.settling = [];
      loop.reserved = [];
      for (const other of this.#loops) if (other !== loop && other.isShort) other.poll.wake();
    }
  }

  async #keepUp(): Promise<void> {
    // What was lost while the node was silent is found in the database only.
    if (await this.#lease.keep()) this.#inFlight.suspectLoss();
    await this.#inFlight.keep();
    await this.#readQueues();
  }

  /** A result that cannot be saved must not block the others: the job is done again, later each time, and given up in the end. */
  async #settleAlone(loop: SettleLoop<Result>, one: Finished<Result>): Promise<void> {
    try {
      await this.#settleAndClaim(loop, [one]);
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        loop.finished.push(one);
        return;
      }
      this.#deps.log.error({ err: error, project_id: one.job.groupId }, "A result could not be saved.");
      // When whoever did it has ended, it is put off as a job without a result.
      one.onVerdict("lost");
    }
  }

  /** Saves what is finished and claims new jobs, those that follow from it among them, in one transaction. */
  async #settleAndClaim(loop: SettleLoop<Result>, finished: readonly Finished<Result>[]): Promise<boolean> {
    const { batch, commit, claimed } = await pipelinedTransaction(this.#deps.db, async (trx) => {
      const batch = await this.#deps.settle(trx, finished);
      // What is over by then has its slots free for what follows from it.
      const over = finished.filter((one) => batch.verdicts.get(one) !== "stale").map(({ job }) => job.id);
      loop.reserved = this.#freeSlots(loop, new Set(over));
      const answers = new Answers();
      let claimed: Promise<readonly MetDemand[]> = Promise.resolve([]);
      const commit = await batch.send(answers, async (jobs) => {
        const isDrained = this.#empty.isKnown;
        const noteFound = this.#empty.beginPoll();
        const claiming = await enqueueAndClaimJobs(trx, jobs, this.#claimFor(loop), { isDrained });
        for (const answer of claiming.answers) answers.add(answer);
        claimed = claiming.claimed;
        answers.add(claimed);
        const isEmpty = claiming.isDrained && this.#asksForAll(loop);
        // Not polled: what was known is no fresher now.
        if (!isDrained || !isEmpty) noteFound(isEmpty);
      });
      return { value: { batch, commit, claimed }, answers: answers.all };
    });
    batch.noteCommitted();
    for (const one of finished) this.#passVerdict(one, batch.verdicts.get(one) ?? "lost");
    this.#noteCommit(commit);
    return this.#beginAll(loop, await claimed);
  }

  async #claim(loop: SettleLoop<Result>): Promise<boolean> {
    if (this.#empty.isKnown) return false;
    loop.reserved = this.#freeSlots(loop);
    if (loop.reserved.length === 0) return false;
    const noteFound = this.#empty.beginPoll();
    const claimed = await claimJobs(this.#deps.db, this.#claimFor(loop));
    const met = loop.reserved.map((_, at) => claimed.filter(({ demand }) => demand === at).length);
    noteFound(this.#asksForAll(loop) && loop.reserved.every(({ max }, at) => met[at]! < max));
    return this.#beginAll(loop, claimed);
  }

  /** A busy group asks for nothing: then nobody knows what lies in its queues. */
  #asksForAll({ reserved }: SettleLoop<Result>): boolean {
    return reserved.length === this.#slotGroups().length;
  }

  #claimFor({ reserved }: SettleLoop<Result>): Claim {
    return { node: this.#deps.node, demands: reserved };
  }

  #beginAll({ reserved }: SettleLoop<Result>, claimed: readonly MetDemand[]): boolean {
    for (const { demand, ...job } of claimed) this.#begin(job, reserved[demand]!);
    return claimed.length > 0;
  }

  #passVerdict(one: Finished<Result>, verdict: Verdict): void {
    // A stale result is merged anew, and its job goes on.
    if (verdict !== "stale") this.#inFlight.forget(one.job);
    one.onVerdict(verdict);
  }

  #noteCommit(commit: Commit): void {
    for (const queue of commit.queues) if (queue.startsWith(offerPrefix)) this.wake(queue);
    if (commit.dropped.size > 0) this.#inFlight.suspectLoss();
    this.#deps.onCommit(commit);
  }

  #slotGroups(): SlotGroup[] {
    return slotGroups(this.#deps.agentsHere(), this.#offerQueues, this.#deps.host);
  }

  /** The slots that are free for the loop, or will be when these jobs of its own are over. */
  #freeSlots(loop: SettleLoop<Result>, over: ReadonlySet<number> = new Set()): SlotGroup[] {
    const taken = [...this.#inFlight.slots()].map(({ id, name }) => ({ name, count: 1, isOver: over.has(id) }));
    const others = this.#loops.filter((other) => other !== loop).flatMap(({ reserved }) => reserved);
    const { free, isShort } = freeSlots(this.#slotGroups(), {
      busy: countSlots(taken.filter(({ isOver }) => !isOver)),
      freed: countSlots(taken.filter(({ isOver }) => isOver)),
      reserved: countSlots(others.map(({ name, max }) => ({ name, count: max }))),
      loopCount,
    });
    loop.isShort = isShort;
    return free;
  }

  #begin(job: ClaimedJob, { name, agentId }: SlotGroup): void {
    const finish = (result: Result) => this.#finish(job, result);
    const leaseSignal = () => this.#lease.signal;
    const handOver = (host: string) => this.#handOver(job, host);
    this.#inFlight.begin(job, name, (signal) =>
      this.#deps.perform({ job, agentId, signal, leaseSignal, finish, handOver }),
    );
  }

  async #handOver(job: ClaimedJob, host: string): Promise<boolean> {
    const isMoved = await moveJob(this.#deps.db, job, host);
    // The nodes there poll; nobody has to wake them.
    if (isMoved) this.#inFlight.forget(job);
    return isMoved;
  }

  #finish(job: ClaimedJob, result: Result): Promise<Verdict> {
    // Another node may have claimed it by now: then there is nothing to settle.
    if (!this.#inFlight.has(job) || this.#isStopping) return Promise.resolve("lost");
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const loop = this.#loopOf(job.groupId);
    loop.finished.push({ job, result, onVerdict: resolve });
    loop.poll.wake();
    return promise;
  }

  #loopOf(groupId: string): SettleLoop<Result> {
    // The last character of an id is random.
    return this.#loops[groupId.charCodeAt(groupId.length - 1) % loopCount]!;
  }

  #isBeingSettled({ id, groupId }: ClaimedJob): boolean {
    const { finished, settling } = this.#loopOf(groupId);
    return [finished, settling].some((results) => results.some(({ job }) => job.id === id));
  }

  /** Which capabilities runs wait for, also those that other nodes have begun. */
  async #readQueues(): Promise<void> {
    const now = performance.now();
    if (now - this.#queuesReadAtMs < pollMs) return;
    this.#offerQueues = new Set(await selectQueues(this.#deps.db, offerPrefix));
    this.#queuesReadAtMs = now;
  }
}
