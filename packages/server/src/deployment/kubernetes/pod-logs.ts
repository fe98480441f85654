import type { V1Pod } from "@kubernetes/client-node";
import { pausesBetween } from "../pauses.ts";
import type { SupervisorEvent } from "../supervisor/index.ts";
import { ProgramLog } from "../supervisor/program-log.ts";
import type { Cluster } from "./cluster.ts";
import { own } from "./object-names.ts";
import { entryLabel } from "./render-release.ts";
import { secretsIn } from "./secrets-in.ts";

interface LogDeps {
  readonly cluster: Cluster;
  readonly onEvent: (event: SupervisorEvent) => void;
}

/** A cluster may hold more pods than a service can listen to. */
const maxFollowed = 50;

/** Tells what the programs in the cluster write. */
export class PodLogs {
  readonly #deps: LogDeps;
  readonly #signal: AbortSignal;
  /** Pods that are followed, by name and number of restarts: each start has a log of its own. */
  readonly #followed = new Set<string>();
  /** A service that starts tells only what comes from then on. */
  readonly #since = new Date();
  /** Where a log goes on that was cut. */
  readonly #cutAt = new Map<string, Date>();

  constructor(deps: LogDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  /** Follows the pods that are not followed yet. */
  follow(pods: readonly V1Pod[]): void {
    const known = new Set(pods.map(({ metadata }) => metadata?.name));
    for (const pod of this.#cutAt.keys()) if (!known.has(pod)) this.#cutAt.delete(pod);
    for (const { metadata, status } of pods) {
      const {
        [own.deployment]: deploymentId,
        [own.release]: releaseId,
        [own.program]: program,
      } = metadata?.labels ?? {};
      const container = status?.containerStatuses?.[0];
      if (deploymentId === undefined || releaseId === undefined || container?.state?.running === undefined) continue;
      // Jobs tell theirs themselves.
      if (program !== entryLabel && !/^\d+$/.test(program ?? "")) continue;
      const key = `${metadata!.name}#${container.restartCount}`;
      if (this.#followed.has(key) || this.#followed.size >= maxFollowed) continue;
      this.#followed.add(key);
      void this.#followOne(metadata!.name!, { deploymentId, releaseId, program: program ?? "" })
        .catch(() => undefined)
        .finally(() => this.#followed.delete(key));
    }
  }

  async #followOne(pod: string, ref: { deploymentId: string; releaseId: string; program: string }): Promise<void> {
    const { cluster, onEvent } = this.#deps;
    const secrets = await secretsIn(cluster, ref.releaseId);
    // A version that ends loses its secrets while its pods still write: nobody could mask what they say.
    const labels = { [own.deployment]: ref.deploymentId, [own.release]: ref.releaseId };
    if (secrets.length === 0 && (await cluster.list("ConfigMap", labels)).items.length === 0) return;
    const log = new ProgramLog({ secrets, onText: (text) => onEvent({ ...ref, is: "output", text }) });
    const pause = pausesBetween(this.#signal);
    let isHeard = false;
    const take = (text: string) => {
      isHeard = true;
      log.write(text);
      return pause(text.length);
    };
    try {
      await cluster.followLog(pod, this.#cutAt.get(pod) ?? this.#since, take, this.#signal);
      log.end();
      isHeard = true;
    } finally {
      // Also where the connection broke: what was told already is not told again. A line that it cut may end with a part of a
      // secret, and is not told.
      if (isHeard) this.#cutAt.set(pod, new Date());
    }
  }
}
