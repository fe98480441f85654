import type { CompleteSpec } from "@slipway/spec";
import { openMasked, type ProjectLogs } from "../../engine/logs/index.ts";
import type { Database } from "../../platform/database/index.ts";
import type { Log } from "../../platform/log/index.ts";
import { networkLimits, waitMs } from "../../platform/network/index.ts";
import { WakeUp } from "../../platform/wake-up/index.ts";
import { collectNotices } from "./collect-notices.ts";
import type { NoticeOutcome } from "./notice.ts";
import {
  endNotice,
  findNextDue,
  giveBackNotice,
  putOffNotice,
  removeOldNotices,
  type TakenNotice,
  takeNotices,
} from "./store.ts";
import { maxCallMs, type NotifyDeps, tell } from "./tell.ts";

interface Deps extends NotifyDeps {
  readonly db: Database;
  readonly log: Log;
  readonly logs: ProjectLogs;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  readonly projectUrl: (projectId: string) => string;
}

const atOnce = 16;
/** Several calls may be needed for one. */
const leaseMs = 4 * maxCallMs + 10_000;
/** What nobody rings for is found by looking. */
const pollMs = 2_000;
const afterErrorMs = 2_000;

/** Tells services of others what happens to projects, as their documents ask; never in the way of a project. */
export class Integrations {
  readonly #parts: Deps;
  readonly #wakeUp = new WakeUp();
  readonly #stopping = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  #loop: Promise<void> | undefined;
  #chore: NodeJS.Timeout | undefined;

  constructor(parts: Deps) {
    this.#parts = parts;
  }

  start(): void {
    const { db, log } = this.#parts;
    this.#loop = this.#run();
    const remove = () => removeOldNotices(db).catch((error) => log.warn({ err: error }, "removing old notices failed"));
    this.#chore = setInterval(() => void remove(), 3_600_000).unref();
  }

  /** Something may have happened. */
  wake(): void {
    this.#wakeUp.wake();
  }

  /** What is under way is given back: it is told again, by whoever comes next. */
  async stop(): Promise<void> {
    clearInterval(this.#chore);
    this.#stopping.abort();
    this.#wakeUp.wake();
    await this.#loop;
    await Promise.all(this.#inFlight);
  }

  async #run(): Promise<void> {
    const { log } = this.#parts;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let waitFor = pollMs;
      try {
        while (await collectNotices(this.#parts));
        waitFor = await this.#send();
      } catch (error) {
        waitFor = afterErrorMs;
        if (!signal.aborted) log.warn({ err: error }, "telling integrations failed");
      }
      if (!signal.aborted) await this.#wakeUp.wait(waitFor);
    }
  }

  /** Begins to tell what is due; says when to look again. */
  async #send(): Promise<number> {
    const { db } = this.#parts;
    const taken = await takeNotices(db, leaseMs, atOnce - this.#inFlight.size);
    for (const notice of taken) {
      const work = this.#carryOut(notice).finally(() => {
        this.#inFlight.delete(work);
        this.#wakeUp.wake();
      });
      this.#inFlight.add(work);
    }
    const nextMs = await findNextDue(db);
    return Math.max(0, Math.min(pollMs, nextMs ?? pollMs));
  }

  async #carryOut(notice: TakenNotice): Promise<void> {
    const { db, log, findDocument } = this.#parts;
    const { signal } = this.#stopping;
    try {
      const document = await findDocument(notice.projectId);
      const outcome = await tell(this.#parts, notice, document, signal);
      await this.#settle(notice, document, outcome);
    } catch (error) {
      if (signal.aborted) await giveBackNotice(db, notice).catch(() => undefined);
      // Its lease ends, and it is tried again.
      else log.warn({ err: error }, "telling an integration failed");
    }
  }

  async #settle(notice: TakenNotice, document: CompleteSpec, outcome: NoticeOutcome): Promise<void> {
    const { db } = this.#parts;
    switch (outcome.is) {
      case "sent":
        return endNotice(db, notice, {
          status: "sent",
          reason: null,
          ...(outcome.ticket && { ticket: outcome.ticket }),
        });
      case "skipped":
        return endNotice(db, notice, { status: "skipped", reason: outcome.reason });
      case "failed": {
        const limits = networkLimits({}, document);
        const attempt = notice.attemptCount + 1;
        const isOver = outcome.isFinal || attempt >= limits.maxAttempts;
        const next = isOver ? "It is given up." : "It will be tried again.";
        this.#note(notice, document, `${outcome.reason} ${next}`);
        if (isOver) return endNotice(db, notice, { status: "failed", reason: outcome.reason });
        return putOffNotice(db, notice, outcome.reason, waitMs(attempt, limits, outcome.retryAfterMs));
      }
    }
  }

  /** In the project's own log: whoever wrote the document can see it there. */
  #note({ projectId, target, action }: TakenNotice, document: CompleteSpec, text: string): void {
    const origin = { projectId, source: target, taskId: "", attempt: 0, agentId: "" };
    const log = openMasked(this.#parts.logs, origin, { debug: document.debug, secrets: [] });
    log.write(`${whatIs[action.is]}: ${text}\n`);
    log.end();
  }
}

const whatIs = {
  message: "A message could not be sent",
  create_ticket: "A ticket could not be made",
  comment_ticket: "A ticket could not be added to",
} as const;
