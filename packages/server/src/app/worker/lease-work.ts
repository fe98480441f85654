import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { type ClaimedTask, type CompleteLease, LeaseState, maxSingleUploadBytes } from "@slipway/contract";
import type { CompleteSpec, PlannedTask } from "@slipway/spec";
import { type RunnableAgent, sandboxedHost, supervise } from "../../agents/index.ts";
import { limitsOf, processLimits, secretsToKeep } from "../../engine/execution/index.ts";
import { Workspaces, type Worktree } from "../../engine/workspaces/index.ts";
import { unpackFolder } from "../../platform/archive/index.ts";
import { FolderBlobStore } from "../../platform/blobs/index.ts";
import { messageOf } from "../../platform/errors/index.ts";
import { WorkspaceError } from "../../platform/git/index.ts";
import { storableText } from "../../platform/one-line.ts";
import { pause } from "../../platform/pause.ts";
import { removeFolder } from "../../platform/remove-folder.ts";
import type { Sandbox } from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import { EventSender } from "./event-sender.ts";
import { LeaseLog } from "./lease-log.ts";
import { type ServiceCalls, ServiceRefusal } from "./service-calls.ts";

export interface LeaseDeps {
  readonly service: ServiceCalls;
  readonly agent: RunnableAgent;
  readonly sandbox: Sandbox;
  readonly dial: (url: string, init?: RequestInit) => Promise<Response>;
  /** A folder of this process alone. */
  readonly folder: string;
  /** Aborted when the worker is to end. */
  readonly stopping: AbortSignal;
}

export type LeaseEnd =
  | { readonly is: "done" | "given_up" | "lost" }
  | { readonly is: "failed"; readonly message: string };

const lastWordsMs = 10_000;
/** With the folders that they are in; a project has at most 200,000. */
const maxFiles = 500_000;
const author = { name: "worker", email: "worker@slipway.invalid" };

/** Works on a task from its files to its patch, and reports to the service meanwhile. Never rejects. */
export async function workOnLease(deps: LeaseDeps, lease: ClaimedTask): Promise<LeaseEnd> {
  const folder = await mkdtemp(join(deps.folder, "task-"));
  try {
    return await new LeaseWork(deps, lease, folder).carryOut();
  } finally {
    await removeFolder(folder);
  }
}

class LeaseWork {
  readonly #deps: LeaseDeps;
  readonly #lease: ClaimedTask;
  readonly #path: string;
  readonly #workspaces: Promise<Workspaces>;
  readonly #sender: EventSender;
  readonly #lost = new AbortController();
  /** Aborted when the lease is lost or cancelled, or the worker must end. */
  readonly #signal: AbortSignal;
  /** Aborted when the work is over: nobody waits for an answer any more. */
  readonly #over = new AbortController();
  /** Aborted when a report need not arrive any more: the lease is lost, or the worker must end and has waited for a while. */
  readonly #unheard: AbortSignal;

  constructor(deps: LeaseDeps, lease: ClaimedTask, folder: string) {
    this.#deps = deps;
    this.#lease = lease;
    this.#path = `/api/v1/leases/${lease.lease_id}`;
    this.#signal = AbortSignal.any([deps.stopping, this.#lost.signal]);
    this.#unheard = AbortSignal.any([
      this.#lost.signal,
      this.#over.signal,
      aWhileAfter(deps.stopping, lastWordsMs, this.#over.signal),
    ]);
    this.#workspaces = openWorkspaces(folder);
    this.#sender = new EventSender({
      send: async (events) => this.#tell("events", { events }),
      onLost: () => this.#lost.abort(),
    });
  }

  async carryOut(): Promise<LeaseEnd> {
    const beating = this.#beat(AbortSignal.any([this.#over.signal, this.#lost.signal]));
    try {
      // Also where the work fails or is given up: the log tells why.
      const { message: said, ...made } = await this.#work().finally(() => this.#sender.flush());
      // Also why a result is refused: it names files, which an agent may call what it likes.
      const report = { ...made, ...(said !== undefined && { message: this.#masked(said) }) };
      await this.#post("complete", report, this.#unheard);
      return report.outcome === "failed" ? { is: "failed", message: report.message ?? "" } : { is: report.outcome };
    } catch (error) {
      if (this.#lost.signal.aborted || (error instanceof ServiceRefusal && error.isLoss)) return { is: "lost" };
      if (this.#deps.stopping.aborted) return await this.#giveUp();
      const message = this.#masked(messageOf(error));
      await this.#post("complete", { outcome: "failed", message }, this.#unheard).catch(() => undefined);
      return { is: "failed", message };
    } finally {
      this.#over.abort();
      await beating;
    }
  }

  /** Releases the lease, so that another worker gets the task at once instead of after a timeout. */
  async #giveUp(): Promise<LeaseEnd> {
    await this.#post("complete", { outcome: "given_up" }, this.#unheard).catch(() => undefined);
    return { is: "given_up" };
  }

  async #work(): Promise<Omit<CompleteLease, "fence">> {
    const { project_id: projectId, lease_id: id, fence, source_url } = this.#lease;
    const signal = this.#signal;
    const workspaces = await this.#workspaces;
    const { commit: empty } = await workspaces.open(projectId, undefined, { signal });
    const tree = await workspaces.checkOut(projectId, `${id}-${fence}`, empty, { signal });
    const source = await this.#deps.service.files(source_url, { signal });
    await unpackFolder(source, tree.path, { maxEntries: maxFiles });
    const given = { author, message: "given", trailers: {}, at: new Date(), signal };
    const base = (await workspaces.takeResult(tree, { ...given, base: empty, takesIgnored: true }))?.commit ?? empty;
    const outcome = await this.#askAgent(tree);
    signal.throwIfAborted();
    if (outcome.is === "cancelled") return { outcome: "failed", message: "The agent was stopped." };
    if (outcome.is !== "completed") return { outcome: "failed", message: outcome.error.message };
    const { breakdown } = outcome;
    const secrets = secretsToKeep(this.#deps.agent, {});
    const made = await workspaces.takeResult(tree, { ...given, message: "made", base, secrets }).catch(explainResult);
    if (typeof made === "string") return { outcome: "failed", message: made };
    const patch = made === undefined ? undefined : await this.#upload(workspaces, base, made.commit);
    return { outcome: "done", ...(patch !== undefined && { patch }), ...(breakdown !== undefined && { breakdown }) };
  }

  async #askAgent({ path: folder, attemptId }: Worktree) {
    const { agent, sandbox, dial } = this.#deps;
    const { project_id: projectId, agent_id: agentId, attempt, prompt, task } = this.#lease;
    // The service sends the document that it has completed; the contract leaves its fields open.
    const document = this.#lease.document as unknown as CompleteSpec;
    const limits = limitsOf(agent, document, 60_000);
    const origin = { projectId, source: "agent", taskId: task.id, attempt, agentId };
    const log = new LeaseLog(origin, this.#sender);
    const secrets = agent.secrets?.() ?? [];
    const usage = new UsageSteps((event) => this.#sender.push(event));
    const { outcome } = await supervise({
      driver: agent.driver,
      work: { projectId, agentId, attempt, task: plannedTask(task), document, prompt, folder },
      limits,
      secrets,
      log,
      signal: this.#signal,
      handle: undefined,
      onProgress: (progress) => usage.note(progress),
      // The sandbox contains the agent, so it need not ask.
      decide: async () => true,
      makeHost: (signal, isHeldUp) =>
        sandboxedHost(
          {
            sandbox,
            runId: attemptId,
            folder,
            network: agent.network ?? "none",
            readable: agent.readable,
            limits: processLimits(document, limits.idleMs),
            fetch: dial,
            saveHandle: async () => undefined,
            secrets,
            isHeldUp,
          },
          signal,
        ),
    });
    return outcome;
  }

  async #upload(workspaces: Workspaces, base: string, commit: string): Promise<string> {
    const { project_id: projectId, lease_id: id, fence } = this.#lease;
    const patch = await workspaces.patch(projectId, base, commit, { maxBytes: maxSingleUploadBytes });
    const path = `patches/${id}.patch`;
    const query = new URLSearchParams({ type: "patch", path, lease_id: id, fence: String(fence) });
    await this.#deps.service.call(`/api/v1/projects/${projectId}/artifacts?${query}`, {
      method: "POST",
      bytes: new Uint8Array(patch),
      signal: this.#signal,
    });
    return path;
  }

  /** Sends heartbeats until the signal aborts, or the service says that the lease is lost. */
  async #beat(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      await pause(heartbeatMs(this.#lease), until);
      if (until.aborted) return;
      try {
        const { is_cancelled: isCancelled } = await this.#tell("heartbeat", {}, until);
        if (isCancelled) this.#lost.abort();
      } catch (error) {
        // A token that is no longer valid counts too: the result could not be delivered.
        if (error instanceof ServiceRefusal) this.#lost.abort();
      }
    }
  }

  #tell(what: string, json: object, signal: AbortSignal = this.#unheard): Promise<LeaseState> {
    return this.#deps.service.ask(LeaseState, ...this.#report(what, json, signal));
  }

  #post(what: string, json: object, signal: AbortSignal): Promise<Response> {
    return this.#deps.service.call(...this.#report(what, json, signal));
  }

  #report(what: string, json: object, signal: AbortSignal) {
    const { fence } = this.#lease;
    return [`${this.#path}/${what}`, { method: "POST", json: { fence, ...json }, signal }] as const;
  }

  /** What leaves this machine holds no secret of its, and nothing that the service refuses. */
  #masked(text: string): string {
    return storableText(new Masker(this.#deps.agent.secrets?.() ?? []).mask(text).slice(0, 20_000));
  }
}

/** A signal that aborts a while after another one, unless it is over before. */
function aWhileAfter(signal: AbortSignal, ms: number, over: AbortSignal): AbortSignal {
  const later = new AbortController();
  const wait = () => void pause(ms, over).then(() => later.abort());
  if (signal.aborted) wait();
  else signal.addEventListener("abort", wait, { once: true, signal: over });
  return later.signal;
}

/** As often as the service asks for, within reason: a pause of no length, or of years, would be none. */
export function heartbeatMs({ heartbeat_seconds: seconds }: Pick<ClaimedTask, "heartbeat_seconds">): number {
  return Math.min(Math.max(Number(seconds) || 1, 1), 60) * 1_000;
}

/** Sends the usage as steps; the supervisor reports totals. */
class UsageSteps {
  readonly #push: EventSender["push"];
  #input = 0;
  #output = 0;
  #cost = 0;

  constructor(push: EventSender["push"]) {
    this.#push = push;
  }

  note({
    inputTokens = 0,
    outputTokens = 0,
    costUsd = 0,
  }: {
    inputTokens?: number | undefined;
    outputTokens?: number | undefined;
    costUsd?: number | undefined;
  }): void {
    const [input, output, cost] = [inputTokens - this.#input, outputTokens - this.#output, costUsd - this.#cost];
    if (input + output + cost <= 0) return;
    this.#input = inputTokens;
    this.#output = outputTokens;
    this.#cost = costUsd;
    this.#push({ type: "usage", input_tokens: input, output_tokens: output, ...(cost > 0 && { cost_usd: cost }) });
  }
}

async function openWorkspaces(folder: string): Promise<Workspaces> {
  const blobs = await FolderBlobStore.open(join(folder, "blobs"));
  const quiet = { info: () => undefined, warn: () => undefined };
  return new Workspaces({ folder: join(folder, "files"), blobs, log: quiet });
}

/** A result that git refuses is the agent's failure, with the same message as on the service's machine. */
function explainResult(error: unknown): string {
  if (error instanceof WorkspaceError) return error.message;
  throw error;
}

function plannedTask({ depends_on, estimated_hours, description, ...task }: ClaimedTask["task"]): PlannedTask {
  return {
    ...task,
    dependsOn: depends_on,
    estimatedHours: estimated_hours,
    ...(description !== null && { description }),
  };
}
