import type { CompleteSpec } from "@slipway/spec";
import { openMasked, type ProjectLogs } from "../../engine/logs/index.ts";
import type { Database } from "../../platform/database/index.ts";
import type { Log } from "../../platform/log/index.ts";
import { networkLimits, waitMs } from "../../platform/network/index.ts";
import { PollLoop } from "../../platform/wake-up/index.ts";
import { collectNotices } from "./collect-notices.ts";
import type { NoticeOutcome } from "./notice.ts";
import { maxCallMs, type NotifyDeps, sendNotice } from "./send-notice.ts";
import {
  type ClaimedNotice,
  claimNotices,
  findNextDue,
  releaseNotice,
  removeOldNotices,
  retryNotice,
  settleNotice,
} from "./store.ts";

interface Deps extends NotifyDeps {
  readonly db: Database;
  readonly log: Log;
  readonly logs: ProjectLogs;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  readonly projectUrl: (projectId: string) => string;
}

const maxInFlight = 16;
/** One notice may need several calls. */
const leaseMs = 4 * maxCallMs + 10_000;
const pollMs = 2_000;
/** A due notice may be blocked by one in flight: it must not make the loop spin. */
const minPollMs = 100;

/** Sends notices of events to Slack and Jira, as documents ask; a project never waits for them. */
export class Integrations {
  readonly #deps: Deps;
  readonly #loop: PollLoop;
  readonly #inFlight = new Set<Promise<void>>();
  #chore: NodeJS.Timeout | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#loop = new PollLoop({ name: "The integrations' loop", log: deps.log, step: () => this.#step() });
  }

  start(): void {
    const { db, log } = this.#deps;
    this.#loop.start();
    const remove = () =>
      removeOldNotices(db).catch((error) => log.warn({ err: error }, "Old notices could not be removed."));
    this.#chore = setInterval(() => void remove(), 3_600_000).unref();
  }

  /** There may be new events. */
  wake(): void {
    this.#loop.wake();
  }

  /** Aborts and releases what is in flight: another node sends it again. */
  async stop(): Promise<void> {
    clearInterval(this.#chore);
    await this.#loop.stop();
    await Promise.all(this.#inFlight);
  }

  async #step(): Promise<number> {
    const { db } = this.#deps;
    while (await collectNotices(this.#deps));
    for (const notice of await claimNotices(db, leaseMs, maxInFlight - this.#inFlight.size)) {
      const sending = this.#send(notice).finally(() => {
        this.#inFlight.delete(sending);
        this.#loop.wake();
      });
      this.#inFlight.add(sending);
    }
    const nextMs = (await findNextDue(db)) ?? pollMs;
    return Math.min(Math.max(nextMs, minPollMs), pollMs);
  }

  async #send(notice: ClaimedNotice): Promise<void> {
    const { db, log, findDocument } = this.#deps;
    const { signal } = this.#loop;
    try {
      const document = await findDocument(notice.projectId);
      const outcome = await sendNotice(this.#deps, notice, document, signal);
      await this.#settle(notice, document, outcome);
    } catch (error) {
      if (signal.aborted) await releaseNotice(db, notice).catch(() => undefined);
      // Its lease ends, and it is sent again.
      else log.warn({ err: error }, "A notice could not be sent.");
    }
  }

  async #settle(notice: ClaimedNotice, document: CompleteSpec, outcome: NoticeOutcome): Promise<void> {
    const { db } = this.#deps;
    switch (outcome.is) {
      case "sent":
        return settleNotice(db, notice, {
          status: "sent",
          reason: null,
          ...(outcome.ticket && { ticket: outcome.ticket }),
        });
      case "skipped":
        return settleNotice(db, notice, { status: "skipped", reason: outcome.reason });
      case "failed": {
        const limits = networkLimits({}, document);
        const attempt = notice.attemptCount + 1;
        const isLast = outcome.isFinal || attempt >= limits.maxAttempts;
        const next = isLast ? "It is given up." : "It will be tried again.";
        this.#logFailure(notice, document, `${outcome.reason} ${next}`);
        if (isLast) return settleNotice(db, notice, { status: "failed", reason: outcome.reason });
        return retryNotice(db, notice, outcome.reason, waitMs(attempt, limits, outcome.retryAfterMs));
      }
    }
  }

  /** Writes to the project's log, where the document's author sees it. */
  #logFailure({ projectId, target, action }: ClaimedNotice, document: CompleteSpec, text: string): void {
    const origin = { projectId, source: target, taskId: "", attempt: 0, agentId: "" };
    const log = openMasked(this.#deps.logs, origin, { debug: document.debug, secrets: [] });
    log.write(`${failureOf[action.is]}: ${text}\n`);
    log.end();
  }
}

const failureOf = {
  message: "A message could not be sent",
  create_ticket: "A ticket could not be made",
  comment_ticket: "A ticket could not be added to",
} as const;
