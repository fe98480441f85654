import type { V1Deployment } from "@kubernetes/client-node";
import type { Clock } from "../../platform/clock.ts";
import { Masker, ownWords } from "../../platform/secrets/index.ts";
import type {
  DeploymentStatus,
  PrepareRequest,
  PrepareResult,
  ReleaseRef,
  RouteRequest,
  ScriptRequest,
  Supervision,
} from "../supervisor/index.ts";
import { ClusterRefusal, type Kind, type Labels } from "./cluster.ts";
import { deploymentLabels, hostLabels, nameOf, own, releaseLabels } from "./object-names.ts";
import { ReleaseObjects, type ReleaseObjectsDeps } from "./release-objects.ts";
import { renderAddress, renderScaler } from "./render-address.ts";
import { renderRelease } from "./render-release.ts";
import { rollOut, untilGone } from "./roll-out.ts";
import { runJob } from "./run-job.ts";
import { isReady, originOf, releasesIn, type SeenObjects, statusOf, wantedCopies } from "./seen-releases.ts";
import { shareCopies } from "./share-copies.ts";
import { writeManifest } from "./write-manifest.ts";

export interface KubernetesDeps extends ReleaseObjectsDeps {
  readonly clock: Clock;
  /** What scheduling a pod and pulling its image may take, beside the start itself. */
  readonly pullMs?: number;
}

const usualPullMs = 120_000;
const maxGoneMs = 90_000;
/** What a version has, in the order in which it is removed: nothing may start what is removed next. */
const partsOfRelease: readonly Kind[] = ["Job", "Deployment", "Service", "ConfigMap", "Secret"];
const partsOfDeployment: readonly Kind[] = ["HorizontalPodAutoscaler", "Ingress", ...partsOfRelease];

/**
 * Keeps versions alive in a cluster. It remembers nothing: labels and annotations of the objects say what is wanted, so
 * that a service that was killed goes on where it was.
 */
export class KubernetesSupervision implements Supervision {
  readonly #deps: KubernetesDeps;
  readonly #objects: ReleaseObjects;

  constructor(deps: KubernetesDeps) {
    this.#deps = deps;
    this.#objects = new ReleaseObjects(deps);
  }

  async list(): Promise<readonly DeploymentStatus[]> {
    const seen = await this.see();
    await this.#endRetired(seen.deployments);
    const urls = new Map<string, string>();
    for (const { deploymentId } of releasesIn(seen.deployments))
      if (!urls.has(deploymentId)) urls.set(deploymentId, (await this.#objects.address(deploymentId)).url);
    return statusOf(seen, (deploymentId) => urls.get(deploymentId)!);
  }

  /** What this node has in the cluster. */
  async see(): Promise<SeenObjects> {
    const { cluster, host } = this.#deps;
    const labels = hostLabels(host);
    const [{ items: deployments }, { items: services }, { items: pods }] = await Promise.all([
      cluster.list("Deployment", labels),
      cluster.list("Service", labels),
      cluster.list("Pod", labels),
    ]);
    return {
      deployments,
      pods,
      services: services.filter(({ metadata }) => metadata?.annotations?.[own.shares] !== undefined),
    };
  }

  async prepare(request: PrepareRequest, signal?: AbortSignal): Promise<PrepareResult> {
    const { settings } = this.#deps;
    const running = await this.#programsOf(request);
    const entry = running.at(-1);
    if (entry !== undefined && isReady({ programs: running })) {
      await this.#annotate(entry, { [own.retireAt]: null });
      return { is: "ready", origins: [originOf(entry, settings.namespace)] };
    }
    try {
      const failure = await this.#start(request, signal);
      if (failure === undefined) {
        const origins = (await this.#programsOf(request)).slice(-1).map((one) => originOf(one, settings.namespace));
        return { is: "ready", origins };
      }
      await this.#end(request);
      return failed(failure, request.secrets);
    } catch (error) {
      await this.#end(request).catch(() => undefined);
      if (error instanceof ClusterRefusal) return failed(error.message, request.secrets);
      throw error;
    }
  }

  async route(request: RouteRequest): Promise<{ readonly port: null; readonly url: string }> {
    const { cluster, settings, host } = this.#deps;
    const { deploymentId, shares, canary } = request;
    const { url, hostName } = await this.#objects.address(deploymentId);
    if (hostName !== undefined) await this.#objects.keepHost(deploymentId, hostName);
    const { items } = await cluster.list("Deployment", deploymentLabels(host, deploymentId));
    const entries = new Map(releasesIn(items).map(({ releaseId, programs }) => [releaseId, programs.at(-1)!]));
    for (const { releaseId } of shares) {
      const entry = entries.get(releaseId);
      if (entry === undefined) throw new ClusterRefusal("A version that should get requests is not in the cluster.");
      await this.#annotate(entry, { [own.retireAt]: null });
    }
    const wanted = new Map([...entries].map(([releaseId, entry]) => [releaseId, wantedCopies(entry)]));
    const [first, second] = shares;
    if (first !== undefined && second !== undefined) {
      await cluster.remove("HorizontalPodAutoscaler", nameOf(deploymentId));
      // Whatever has the deployment's label would get requests, too.
      for (const releaseId of entries.keys())
        if (!shares.some((share) => share.releaseId === releaseId)) await this.#end({ deploymentId, releaseId });
      for (const [releaseId, copies] of shareCopies([first, second], wanted))
        await this.#setCopies(entries.get(releaseId)!, copies);
    } else if (first !== undefined) {
      await this.#setCopies(entries.get(first.releaseId)!, wanted.get(first.releaseId)!);
    }
    const address = { host, deploymentId, shares, canary: canary?.releaseId, settings, hostName };
    for (const object of renderAddress(address)) await cluster.apply(object);
    if (shares.length === 1) await this.#settleCopies(deploymentId, entries, first!.releaseId);
    return { port: null, url };
  }

  async scale(
    { replicas, ...ref }: ReleaseRef & { readonly replicas: number },
    signal?: AbortSignal,
  ): Promise<PrepareResult> {
    const { cluster, settings } = this.#deps;
    const entry = (await this.#programsOf(ref)).at(-1);
    if (entry === undefined) return notRunning;
    await this.#annotate(entry, { [own.replicas]: String(replicas) });
    await cluster.patch("HorizontalPodAutoscaler", nameOf(ref.deploymentId), {
      spec: { minReplicas: replicas, maxReplicas: Math.max(replicas, settings.autoscale?.maxReplicas ?? replicas) },
    });
    return this.#changed(entry, () => this.#setCopies(entry, replicas, signal));
  }

  async restart(ref: ReleaseRef, signal?: AbortSignal): Promise<PrepareResult> {
    const { cluster, clock } = this.#deps;
    const programs = await this.#programsOf(ref);
    const entry = programs.at(-1);
    if (entry === undefined) return notRunning;
    const annotations = { "slipway/restarted-at": clock.now().toISOString() };
    return this.#changed(entry, async () => {
      for (const program of programs) {
        await cluster.patch("Deployment", program.metadata!.name!, {
          spec: { template: { metadata: { annotations } } },
        });
        await this.#untilWell(program, signal);
      }
    });
  }

  async retire({ afterMs, ...ref }: ReleaseRef & { readonly afterMs: number }): Promise<void> {
    if (afterMs <= 0) return this.#end(ref);
    const entry = (await this.#programsOf(ref)).at(-1);
    const at = new Date(this.#deps.clock.now().getTime() + afterMs).toISOString();
    if (entry !== undefined) await this.#annotate(entry, { [own.retireAt]: at });
  }

  async stop(deploymentId: string): Promise<void> {
    await this.#removeAll(deploymentLabels(this.#deps.host, deploymentId), partsOfDeployment);
  }

  async forget(deploymentId: string): Promise<void> {
    await this.#removeAll(deploymentLabels(this.#deps.host, deploymentId), ["PersistentVolumeClaim"]);
  }

  async runScript(request: ScriptRequest, signal: AbortSignal): Promise<string | undefined> {
    const { cluster } = this.#deps;
    const release = await this.#objects.toRender(request);
    const failure = await this.#objects.makeImage(release, request.secrets, signal);
    if (failure !== undefined) return failure;
    const parts = renderRelease(release).filter(({ kind }) => kind === "ConfigMap" || kind === "PersistentVolumeClaim");
    for (const object of [...this.#objects.secretsOf(request), ...parts]) await cluster.apply(object);
    const reason = await runJob(cluster, release, request, signal);
    // A version that will not be prepared leaves nothing behind.
    if (reason !== undefined && (await this.#programsOf(request)).length === 0) await this.#end(request);
    return reason;
  }

  async render(request: Omit<PrepareRequest, "secrets">): Promise<{ readonly path: string; readonly text: string }> {
    const { deploymentId, releaseId } = request;
    const { host, settings } = this.#deps;
    const { hostName } = await this.#objects.address(deploymentId);
    const shares = [{ releaseId, weight: 1 }];
    const address = { host, deploymentId, shares, canary: undefined, settings, hostName };
    const objects = [...renderRelease(await this.#objects.toRender(request)), ...renderAddress(address)];
    return { path: "deployment/kubernetes.yaml", text: writeManifest(objects, settings.namespace) };
  }

  /** What is in the cluster stays there: it is not this node's to end when the service does. */
  async close(): Promise<void> {
    await this.#deps.cluster.close();
  }

  async #start(request: PrepareRequest, signal: AbortSignal | undefined): Promise<string | undefined> {
    const { cluster } = this.#deps;
    const release = await this.#objects.toRender(request);
    const failure = await this.#objects.makeImage(release, request.secrets, signal);
    if (failure !== undefined) return failure;
    for (const object of this.#objects.secretsOf(request)) await cluster.apply(object);
    for (const object of renderRelease(release)) {
      signal?.throwIfAborted();
      await cluster.apply(object);
      if (object.kind !== "Deployment") continue;
      const reason = await this.#untilRolledOut(object, { plan: request.plan, signal });
      if (reason !== undefined) return reason;
    }
    await this.#annotate((await this.#programsOf(request)).at(-1)!, { [own.ready]: "true" });
    return undefined;
  }

  /** The version with all requests may grow under load; the others go back to what was wanted of them. */
  async #settleCopies(deploymentId: string, entries: ReadonlyMap<string, V1Deployment>, live: string): Promise<void> {
    const { cluster, settings, host } = this.#deps;
    for (const [releaseId, entry] of entries)
      if (releaseId !== live)
        await cluster.patch("Deployment", entry.metadata!.name!, { spec: { replicas: wantedCopies(entry) } });
    if (settings.autoscale === undefined) return;
    const entry = entries.get(live)!;
    const scaler = { host, deploymentId, target: entry.metadata!.name!, minReplicas: wantedCopies(entry) };
    await cluster.apply(renderScaler({ ...scaler, autoscale: settings.autoscale }));
  }

  async #setCopies(entry: V1Deployment, replicas: number, signal?: AbortSignal): Promise<void> {
    const { cluster } = this.#deps;
    await cluster.patch("Deployment", entry.metadata!.name!, { spec: { replicas } });
    await this.#untilWell(entry, signal);
  }

  /** Throws a ClusterRefusal if the copies do not get well. */
  async #untilWell(program: V1Deployment, signal: AbortSignal | undefined): Promise<void> {
    const reason = await this.#untilRolledOut(program, { signal });
    if (reason !== undefined) throw new ClusterRefusal(reason);
  }

  async #untilRolledOut(program: V1Deployment, known: StartKnown) {
    const { cluster, pullMs = usualPullMs } = this.#deps;
    const name = program.metadata!.name!;
    const plan = known.plan?.programs.find((one) => one.name === program.metadata?.annotations?.[own.name]);
    // The startup probe gives the program its time, and ends it after that.
    const startMs = plan?.health.readyWithinMs ?? (program.spec?.progressDeadlineSeconds ?? 60) * 1000;
    const releaseId = program.metadata?.labels?.[own.release] ?? "";
    return rollOut(cluster, {
      ...{ name, labels: program.spec!.selector.matchLabels!, limitMs: pullMs + startMs },
      ...{ label: plan?.label ?? "The program", releaseId, signal: known.signal },
    });
  }

  async #changed(entry: V1Deployment, change: () => Promise<void>): Promise<PrepareResult> {
    try {
      await change();
      return { is: "ready", origins: [originOf(entry, this.#deps.settings.namespace)] };
    } catch (error) {
      if (!(error instanceof ClusterRefusal)) throw error;
      return failed(error.message);
    }
  }

  async #programsOf(ref: ReleaseRef): Promise<readonly V1Deployment[]> {
    const { items } = await this.#deps.cluster.list("Deployment", releaseLabels(this.#deps.host, ref));
    return releasesIn(items)[0]?.programs ?? [];
  }

  async #annotate({ metadata }: V1Deployment, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#deps.cluster.patch("Deployment", metadata!.name!, { metadata: { annotations } });
  }

  async #endRetired(deployments: readonly V1Deployment[]): Promise<void> {
    const now = this.#deps.clock.now().toISOString();
    for (const { metadata } of deployments) {
      const at = metadata?.annotations?.[own.retireAt];
      const { [own.deployment]: deploymentId, [own.release]: releaseId } = metadata?.labels ?? {};
      if (at !== undefined && at <= now && deploymentId && releaseId) await this.#end({ deploymentId, releaseId });
    }
  }

  #end(ref: ReleaseRef): Promise<void> {
    return this.#removeAll(releaseLabels(this.#deps.host, ref), partsOfRelease);
  }

  /** Removes everything with these labels, and waits until its pods are gone: it may be what cannot run twice. */
  async #removeAll(labels: Labels, kinds: readonly Kind[]): Promise<void> {
    const { cluster } = this.#deps;
    for (const kind of kinds)
      for (const { metadata } of (await cluster.list(kind, labels)).items) await cluster.remove(kind, metadata!.name!);
    await untilGone(cluster, labels, maxGoneMs);
  }
}

interface StartKnown {
  readonly plan?: PrepareRequest["plan"];
  readonly signal: AbortSignal | undefined;
}

const notRunning: PrepareResult = { is: "failed", reason: ownWords`The version does not run.` };

function failed(reason: string, secrets: PrepareRequest["secrets"] = {}): PrepareResult {
  return { is: "failed", reason: new Masker(Object.values(secrets)).mask(reason) };
}
