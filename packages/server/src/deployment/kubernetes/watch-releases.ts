import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../../platform/log/index.ts";
import type { SupervisorEvent } from "../supervisor/index.ts";
import type { Cluster } from "./cluster.ts";
import type { KubernetesSupervision } from "./kubernetes-supervision.ts";
import { hostLabels, own } from "./object-names.ts";
import { PodLogs } from "./pod-logs.ts";
import { isReady, releasesIn, type SeenObjects, sharesIn, statusOf } from "./seen-releases.ts";

interface WatchDeps {
  readonly cluster: Cluster;
  readonly supervision: Pick<KubernetesSupervision, "see">;
  readonly host: string;
  readonly log: Log;
  readonly onEvent: (event: SupervisorEvent) => void;
}

/** Between two looks at a busy cluster, and before a stream that ended is opened again. */
const pauseMs = 500;
const maxPauseMs = 30_000;

/** Tells what happens to versions in the cluster while nobody asks: health, canaries and output. */
export class ReleaseWatch {
  readonly #deps: WatchDeps;
  readonly #stopped = new AbortController();
  readonly #unwell = new Map<string, string>();
  readonly #logs: PodLogs;
  #running: Promise<void> | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isAsked = false;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.#logs = new PodLogs(deps, this.#stopped.signal);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    await this.#looking;
  }

  async #run(): Promise<void> {
    const { cluster, host, log } = this.#deps;
    const { signal } = this.#stopped;
    const labels = hostLabels(host);
    for (let waitMs = pauseMs; !signal.aborted; waitMs = Math.min(maxPauseMs, waitMs * 2)) {
      try {
        const { resourceVersion } = await cluster.list("Deployment", labels);
        this.#look();
        await cluster.watch("Deployment", labels, resourceVersion, () => this.#look(), signal);
        waitMs = pauseMs;
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, "The cluster cannot be watched.");
      }
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Changes come in bursts: one look at the end of them is enough. */
  #look(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#looking = this.#looking
      .then(async () => {
        this.#isAsked = false;
        if (!this.#stopped.signal.aborted) this.#judge(await this.#deps.supervision.see());
      })
      .catch((error: unknown) => {
        if (!this.#stopped.signal.aborted) this.#deps.log.warn({ err: error }, "The cluster cannot be read.");
      })
      .then(() => delay(pauseMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined));
  }

  #judge(seen: SeenObjects): void {
    const { onEvent } = this.#deps;
    this.#logs.follow(seen.pods);
    const canaries = new Set(
      seen.services
        .filter((one) => sharesIn(one).length > 1)
        .map(({ metadata }) => metadata?.annotations?.[own.canary]),
    );
    const ready = new Set(
      releasesIn(seen.deployments)
        .filter(isReady)
        .map(({ releaseId }) => releaseId),
    );
    for (const { deploymentId, releases } of statusOf(seen, () => "")) {
      for (const { releaseId, programs } of releases.filter((one) => ready.has(one.releaseId))) {
        const ref = { deploymentId, releaseId };
        const unwell = programs.find(({ reason }) => reason !== null);
        const before = this.#unwell.get(releaseId);
        if (unwell?.reason != null && before === undefined) {
          this.#unwell.set(releaseId, unwell.name);
          if (canaries.has(releaseId)) onEvent({ ...ref, is: "canary_aborted", reason: unwell.reason });
          onEvent({ ...ref, is: "unhealthy", program: unwell.name, reason: unwell.reason });
        } else if (unwell === undefined && before !== undefined) {
          this.#unwell.delete(releaseId);
          onEvent({ ...ref, is: "recovered", program: before });
        }
      }
    }
    for (const releaseId of this.#unwell.keys()) if (!ready.has(releaseId)) this.#unwell.delete(releaseId);
  }
}
