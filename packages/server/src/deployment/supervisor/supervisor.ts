import { causeLine } from "../../platform/cause-line.ts";
import { shortened } from "../../platform/one-line.ts";
import { type Masked, ownWords, partOf } from "../../platform/secrets/index.ts";
import { ReverseProxy } from "../proxy/index.ts";
import type { KeptProgram, StartFailure } from "./kept-program.ts";
import { type ProgramStarters, RunningRelease } from "./running-release.ts";
import type {
  DeploymentStatus,
  PrepareRequest,
  PrepareResult,
  ReleaseRef,
  RouteRequest,
  RouteShare,
  Supervision,
  SupervisorEvent,
} from "./supervision.ts";

interface SupervisorDeps extends ProgramStarters {
  readonly onEvent: (event: SupervisorEvent) => void;
}

const maxFailureLength = 1_000;
/** How long requests of a version that ends may still take. */
const maxDrainMs = 30_000;

/** Keeps the deployments of this machine alive: the programs of their versions, and a proxy at each address. */
export class Supervisor implements Supervision {
  readonly #deps: SupervisorDeps;
  readonly #deployments = new Map<string, SupervisedDeployment>();
  #isClosed = false;

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
  }

  get isIdle(): boolean {
    return this.#deployments.size === 0;
  }

  async list(): Promise<readonly DeploymentStatus[]> {
    return [...this.#deployments.values()].map((one) => one.status());
  }

  async prepare(request: PrepareRequest, signal?: AbortSignal): Promise<PrepareResult> {
    return this.#deployment(request.deploymentId).prepare(request, signal ?? new AbortController().signal);
  }

  async route(request: RouteRequest): Promise<{ readonly port: number }> {
    return this.#deployment(request.deploymentId).route(request);
  }

  async scale(
    { deploymentId, releaseId, replicas }: ReleaseRef & { readonly replicas: number },
    signal = new AbortController().signal,
  ) {
    return this.#deployment(deploymentId).scale(releaseId, replicas, signal);
  }

  async restart({ deploymentId, releaseId }: ReleaseRef, signal = new AbortController().signal) {
    return this.#deployment(deploymentId).restart(releaseId, signal);
  }

  async retire({ deploymentId, releaseId, afterMs }: ReleaseRef & { readonly afterMs: number }): Promise<void> {
    await this.#deployments.get(deploymentId)?.retire(releaseId, afterMs);
  }

  async stop(deploymentId: string): Promise<void> {
    const deployment = this.#deployments.get(deploymentId);
    this.#deployments.delete(deploymentId);
    await deployment?.stop();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#deployments.keys()].map((id) => this.stop(id)));
  }

  #deployment(deploymentId: string): SupervisedDeployment {
    if (this.#isClosed) throw new Error("The supervisor is closed.");
    let deployment = this.#deployments.get(deploymentId);
    if (deployment === undefined) {
      deployment = new SupervisedDeployment(deploymentId, this.#deps);
      this.#deployments.set(deploymentId, deployment);
    }
    return deployment;
  }
}

/** One address, and the versions behind it. */
class SupervisedDeployment {
  readonly #id: string;
  readonly #deps: SupervisorDeps;
  readonly #releases = new Map<string, RunningRelease>();
  readonly #retirements = new Map<string, NodeJS.Timeout>();
  #proxy: ReverseProxy | undefined;
  #port: number | null = null;
  #shares: readonly RouteShare[] = [];
  #canary: RouteRequest["canary"];
  #isStopped = false;

  constructor(id: string, deps: SupervisorDeps) {
    this.#id = id;
    this.#deps = deps;
  }

  status(): DeploymentStatus {
    return {
      deploymentId: this.#id,
      port: this.#port,
      shares: this.#shares,
      releases: [...this.#releases].map(([releaseId, { isReady, programs }]) => ({ releaseId, isReady, programs })),
      traffic: this.#proxy?.traffic() ?? [],
    };
  }

  async prepare(
    { deploymentId, releaseId, plan, secrets }: PrepareRequest,
    signal: AbortSignal,
  ): Promise<PrepareResult> {
    this.#keepFromRetiring(releaseId);
    const { sandbox, containers, onEvent } = this.#deps;
    const ref = { deploymentId, releaseId };
    const running = this.#releases.get(releaseId);
    // One that was kept for a rollback may have ended since, and not start again.
    if (running?.isReady && running.origins.length > 0) return { is: "ready", origins: running.origins };
    // A start that was given up may have left it half started.
    await running?.stop();
    const release = new RunningRelease({
      ...{ sandbox, containers, plan, secrets },
      account: { name: deploymentId, folders: [plan.dataFolder] },
      onOutput: (program, text) => onEvent({ ...ref, is: "output", program, text }),
      onHealth: (program, reason) => {
        this.#applyRoutes();
        // Its requests would go to others, and tell nothing of it.
        if (reason !== undefined && this.#canary?.releaseId === releaseId) this.#takeCanaryBack(releaseId, reason);
        if (!release.isReady) return;
        onEvent(
          reason === undefined ? { ...ref, is: "recovered", program } : { ...ref, is: "unhealthy", program, reason },
        );
      },
    });
    this.#releases.set(releaseId, release);
    try {
      const failure = await release.start(signal);
      if (failure === undefined && !this.#isStopped) return { is: "ready", origins: release.origins };
      await this.#end(releaseId);
      // A deployment that was stopped meanwhile knows of no version any more.
      await release.stop();
      return { is: "failed", reason: failure === undefined ? ownWords`The deployment was stopped.` : explain(failure) };
    } catch (error) {
      await this.#end(releaseId);
      throw error;
    }
  }

  async route({ address, shares, canary }: RouteRequest): Promise<{ readonly port: number }> {
    if (this.#proxy === undefined) {
      const proxy = new ReverseProxy({});
      this.#port = await proxy.listen(address);
      this.#proxy = proxy;
    }
    for (const { releaseId } of shares) this.#keepFromRetiring(releaseId);
    this.#shares = shares;
    this.#canary = canary;
    this.#applyRoutes();
    return { port: this.#port! };
  }

  async scale(releaseId: string, replicas: number, signal: AbortSignal): Promise<PrepareResult> {
    const release = this.#releases.get(releaseId);
    if (release === undefined) return { is: "failed", reason: ownWords`The version does not run.` };
    const failure = await release.scale(replicas, signal);
    const left = release.shrink(replicas);
    this.#applyRoutes();
    void Promise.all(left.map((program) => this.#endCopy(releaseId, program)));
    return resultOf(release, failure);
  }

  async restart(releaseId: string, signal: AbortSignal): Promise<PrepareResult> {
    const release = this.#releases.get(releaseId);
    if (release === undefined) return { is: "failed", reason: ownWords`The version does not run.` };
    const failure = await release.replaceEach(signal, async (old) => {
      this.#applyRoutes();
      await this.#endCopy(releaseId, old);
    });
    this.#applyRoutes();
    return resultOf(release, failure);
  }

  async retire(releaseId: string, afterMs: number): Promise<void> {
    this.#keepFromRetiring(releaseId);
    if (!this.#releases.has(releaseId)) return;
    if (afterMs <= 0) return this.#end(releaseId);
    const timer = setTimeout(() => void this.#end(releaseId), Math.min(afterMs, 2 ** 31 - 1));
    this.#retirements.set(releaseId, timer.unref());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const releaseId of [...this.#retirements.keys()]) this.#keepFromRetiring(releaseId);
    await this.#proxy?.close();
    await Promise.all([...this.#releases.values()].map((release) => release.stop()));
    this.#releases.clear();
  }

  #keepFromRetiring(releaseId: string): void {
    clearTimeout(this.#retirements.get(releaseId));
    this.#retirements.delete(releaseId);
  }

  /** Ends a copy that gets no more requests, when those it has are answered. */
  async #endCopy(releaseId: string, program: KeptProgram): Promise<void> {
    if (program.origin !== undefined) await this.#proxy?.drained(releaseId, maxDrainMs, program.origin);
    await program.stop();
  }

  async #end(releaseId: string): Promise<void> {
    const release = this.#releases.get(releaseId);
    if (release === undefined) return;
    this.#shares = this.#shares.filter((share) => share.releaseId !== releaseId);
    this.#applyRoutes();
    await this.#proxy?.drained(releaseId, maxDrainMs);
    await release.stop();
    if (this.#releases.get(releaseId) === release) this.#releases.delete(releaseId);
  }

  /** Tells the proxy which copies are well, and what share each version gets. */
  #applyRoutes(): void {
    if (this.#proxy === undefined) return;
    const canary = this.#canary;
    const backends = this.#shares.map(({ releaseId, weight }) => ({
      release: releaseId,
      origins: this.#releases.get(releaseId)?.origins ?? [],
      weight,
    }));
    if (canary === undefined) {
      this.#proxy.route(backends);
      return;
    }
    const { releaseId, ...limits } = canary;
    const onBreach = (reason: Masked) => this.#takeCanaryBack(releaseId, reason);
    this.#proxy.route(backends, { ...limits, release: releaseId, onBreach });
  }

  #takeCanaryBack(releaseId: string, reason: Masked): void {
    this.#canary = undefined;
    this.#shares = this.#shares.filter((share) => share.releaseId !== releaseId);
    this.#applyRoutes();
    this.#deps.onEvent({ deploymentId: this.#id, releaseId, is: "canary_aborted", reason });
  }
}

function resultOf(release: RunningRelease, failure: StartFailure | undefined): PrepareResult {
  return failure === undefined ? { is: "ready", origins: release.origins } : { is: "failed", reason: explain(failure) };
}

function explain({ failure, output }: StartFailure): Masked {
  const said = partOf(output, (text) => causeLine(text, 500));
  const why = partOf(failure, (text) => shortened(text, maxFailureLength));
  return said === "" ? why : ownWords`${why} ${said}`;
}
