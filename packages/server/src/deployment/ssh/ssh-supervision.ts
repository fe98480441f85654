import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../../platform/log/index.ts";
import { type Masked, Masker, ownWords } from "../../platform/secrets/index.ts";
import {
  type DeploymentStatus,
  type PrepareRequest,
  type PrepareResult,
  type ReleaseRef,
  type RoutedAddress,
  type RouteRequest,
  type ScriptRequest,
  type Supervision,
  TargetFailure,
} from "../supervisor/index.ts";
import type { Machine } from "./machine.ts";
import { maxCopies, portsOf, RemoteReleases } from "./remote-releases.ts";
import { renderUnit, unitName } from "./render-units.ts";

export interface SshDeps {
  readonly machine: Machine;
  /** What keeps the tunnels and the proxy on this machine. */
  readonly local: Supervision;
  readonly log: Log;
  /** The files of a version on this machine. */
  readonly releaseFolder: (deploymentId: string, releaseId: string) => string;
}

const lookMs = 1_000;
/** A program that was started again so often will not get well. */
const maxRestarts = 3;
const sweepMs = 60_000;

/**
 * Keeps versions alive on another machine: systemd has the programs there; the supervisor here has a tunnel to each copy,
 * asks after its health and sends it the requests, as it does with programs of its own.
 */
export class SshSupervision implements Supervision {
  readonly #deps: SshDeps;
  readonly #there: RemoteReleases;
  static #sweptAt = new Map<string, number>();

  constructor(deps: SshDeps) {
    this.#deps = deps;
    this.#there = new RemoteReleases(deps);
  }

  async list(): Promise<readonly DeploymentStatus[]> {
    await this.#sweep();
    return this.#deps.local.list();
  }

  async prepare(request: PrepareRequest, signal?: AbortSignal): Promise<PrepareResult> {
    const { local } = this.#deps;
    const { plan } = request;
    if (plan.replicas > maxCopies) return { is: "failed", reason: tooMany };
    const isReady = (await this.#seen(request))?.isReady === true;
    try {
      const isNew = await this.#there.send(request, signal);
      const ports = await this.#there.claimPorts(request);
      if (!isReady) await this.#there.write(request, ports);
      // Of one that is well already, this takes back its end.
      await this.#there.start(request, isReady ? [] : copiesOf(request, plan.replicas));
      const there = { ...request, plan: { ...plan, programs: this.#tunnels(request, ports) }, secrets: {} };
      const result = isReady ? await local.prepare(there, signal) : await this.#watched(request, there, signal);
      if (result.is === "failed") await this.#there.end(request);
      // An earlier supervisor may have led to other copies.
      else if (!isReady && !isNew) await this.#stopUnused(request);
      return result;
    } catch (error) {
      if (!isReady) await this.#there.end(request).catch(() => undefined);
      if (error instanceof TargetFailure)
        return { is: "failed", reason: new Masker(Object.values(request.secrets)).mask(error.message) };
      throw error;
    }
  }

  async route(request: RouteRequest): Promise<RoutedAddress> {
    const routed = await this.#deps.local.route(request);
    const [only, ...others] = request.shares;
    if (only !== undefined && others.length === 0) {
      const ref = { deploymentId: request.deploymentId, releaseId: only.releaseId };
      await this.#there.pointAt(ref);
    }
    return routed;
  }

  async scale(
    { replicas, ...ref }: ReleaseRef & { readonly replicas: number },
    signal?: AbortSignal,
  ): Promise<PrepareResult> {
    const { local } = this.#deps;
    if (replicas > maxCopies) return { is: "failed", reason: tooMany };
    const { unused, used } = await this.#copies(ref);
    await this.#there.start(ref, unused.slice(0, Math.max(0, replicas - used.length)));
    const result = await local.scale({ ...ref, replicas }, signal);
    await this.#stopUnused(ref);
    return result;
  }

  async restart(ref: ReleaseRef, signal?: AbortSignal): Promise<PrepareResult> {
    const { unused, used } = await this.#copies(ref);
    await this.#there.start(ref, unused.slice(0, used.length));
    const result = await this.#deps.local.restart(ref, signal);
    await this.#stopUnused(ref);
    return result;
  }

  async retire({ afterMs, ...ref }: ReleaseRef & { readonly afterMs: number }): Promise<void> {
    await this.#deps.local.retire({ ...ref, afterMs });
    if (afterMs <= 0) return this.#there.end(ref);
    await this.#there.endLater(ref, afterMs);
  }

  async stop(deploymentId: string): Promise<void> {
    await this.#deps.local.stop(deploymentId);
    await this.#there.stopAll(deploymentId);
  }

  async forget(deploymentId: string): Promise<void> {
    await this.#there.forgetAll(deploymentId);
  }

  /** What runs there goes on; the supervisor of this machine is another's to end. */
  async close(): Promise<void> {}

  runScript(request: ScriptRequest, signal: AbortSignal): Promise<string | undefined> {
    return this.#there.runScript(request, signal);
  }

  async render(request: Omit<PrepareRequest, "secrets">) {
    const { machine } = this.#deps;
    const { plan } = request;
    const text = plan.programs.map((_, index) => {
      const unit = renderUnit({ ...request, settings: machine.settings, index, copy: 0 });
      return `# ${unitName(request.releaseId, index, 0)}\n${unit}`;
    });
    return { path: "deployment/systemd-units.txt", text: text.join("\n") };
  }

  /** Waits until the version is well, here; a program that ends there again and again is not waited for. */
  async #watched(
    request: PrepareRequest,
    there: PrepareRequest,
    signal: AbortSignal | undefined,
  ): Promise<PrepareResult> {
    const { local } = this.#deps;
    const isOver = new AbortController();
    const isHopeless = new AbortController();
    const looking = this.#untilHopeless(request, isOver.signal).then((reason) => {
      if (reason !== undefined) isHopeless.abort();
      return reason;
    });
    try {
      const signals = [isHopeless.signal, ...(signal === undefined ? [] : [signal])];
      const result = await local.prepare(there, AbortSignal.any(signals));
      if (result.is === "ready") return result;
      return { is: "failed", reason: (await this.#there.whyEnded(request, 1)) ?? result.reason };
    } catch (error) {
      signal?.throwIfAborted();
      if (!isHopeless.signal.aborted) throw error;
      return { is: "failed", reason: (await looking) ?? ownWords`It does not get well.` };
    } finally {
      isOver.abort();
      await looking.catch(() => undefined);
    }
  }

  async #untilHopeless(request: PrepareRequest, signal: AbortSignal): Promise<Masked | undefined> {
    for (;;) {
      await delay(lookMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      const reason = await this.#there.whyEnded(request, maxRestarts).catch(() => undefined);
      if (reason !== undefined) return reason;
    }
  }

  /** The copies of the program that gets the requests: those that the supervisor leads to, and the others, in its order. */
  async #copies(ref: ReleaseRef): Promise<{ readonly used: readonly string[]; readonly unused: readonly string[] }> {
    const all = await this.#there.claimPorts(ref);
    const ports = all.slice(-2 * maxCopies);
    const entry = all.length - ports.length;
    const programs = (await this.#seen(ref))?.programs ?? [];
    const inUse = new Set(programs.map(({ portThere }) => portThere));
    const units = ports.map((port, copy) => ({ isUsed: inUse.has(port), unit: unitName(ref.releaseId, entry, copy) }));
    const of = (isUsed: boolean) => units.filter((one) => one.isUsed === isUsed).map(({ unit }) => unit);
    return { used: of(true), unused: of(false) };
  }

  #tunnels({ plan }: PrepareRequest, ports: readonly number[]): PrepareRequest["plan"]["programs"] {
    const { options, settings } = this.#deps.machine;
    return plan.programs.map((program, index) => {
      const tunnel = { options, destination: settings.host, ports: portsOf(plan, ports, index) };
      return { ...program, env: {}, tunnel };
    });
  }

  async #stopUnused(ref: ReleaseRef): Promise<void> {
    const { unused } = await this.#copies(ref);
    await this.#there.stop(ref, unused);
  }

  async #seen({ deploymentId, releaseId }: ReleaseRef) {
    const deployment = (await this.#deps.local.list()).find((one) => one.deploymentId === deploymentId);
    return deployment?.releases.find((one) => one.releaseId === releaseId);
  }

  /** Versions whose time is over end with the next look: at the latest after a minute. */
  async #sweep(): Promise<void> {
    const { machine, log } = this.#deps;
    const { name } = machine.settings;
    const now = performance.now();
    if (now - (SshSupervision.#sweptAt.get(name) ?? Number.NEGATIVE_INFINITY) < sweepMs) return;
    SshSupervision.#sweptAt.set(name, now);
    await this.#there.endRetired().catch((error: unknown) => {
      log.warn({ err: error, target: name }, "Old versions on a machine could not be ended.");
    });
  }
}

const tooMany = ownWords`A machine runs at most ${maxCopies} copies of a version.`;

function copiesOf({ plan, releaseId }: PrepareRequest, replicas: number): readonly string[] {
  const entry = plan.programs.length - 1;
  return [
    ...plan.programs.slice(0, -1).map((_, index) => unitName(releaseId, index, 0)),
    ...Array.from({ length: replicas }, (_, copy) => unitName(releaseId, entry, copy)),
  ];
}
