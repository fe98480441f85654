import { spawn } from "node:child_process";
import { relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "../../platform/log/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
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
import { lastLine, type Machine } from "./machine.ts";
import * as scripts from "./remote-scripts.ts";
import { renderStart, renderUnit, renderVariables, unitName } from "./render-units.ts";

export interface SshDeps {
  readonly machine: Machine;
  /** What keeps the tunnels and the proxy on this machine. */
  readonly local: Supervision;
  readonly log: Log;
  /** The files of a version on this machine. */
  readonly releaseFolder: (deploymentId: string, releaseId: string) => string;
}

/** Of one version; a restart starts as many again before the old ones end. */
const maxCopies = 4;
const maxSendMs = 600_000;
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
  static #sweptAt = new Map<string, number>();

  constructor(deps: SshDeps) {
    this.#deps = deps;
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
      const isNew = await this.#send(request, signal);
      const ports = await this.#ports(request);
      if (!isReady) await this.#write(request, ports);
      // Of one that is well already, this takes back its end.
      await this.#start(request, isReady ? [] : copiesOf(request, plan.replicas));
      const there = { ...request, plan: { ...plan, programs: this.#tunnels(request, ports) }, secrets: {} };
      const result = isReady ? await local.prepare(there, signal) : await this.#watched(request, there, signal);
      if (result.is === "failed") await this.#endThere(request);
      // An earlier supervisor may have led to other copies.
      else if (!isReady && !isNew) await this.#stopUnused(request);
      return result;
    } catch (error) {
      if (!isReady) await this.#endThere(request).catch(() => undefined);
      if (error instanceof TargetFailure) return { is: "failed", reason: error.message };
      throw error;
    }
  }

  async route(request: RouteRequest): Promise<RoutedAddress> {
    const routed = await this.#deps.local.route(request);
    const [only, ...others] = request.shares;
    if (only !== undefined && others.length === 0) {
      const ref = { deploymentId: request.deploymentId, releaseId: only.releaseId };
      await this.#must("point at the version", ref, scripts.pointAt);
    }
    return routed;
  }

  async scale({ replicas, ...ref }: ReleaseRef & { readonly replicas: number }): Promise<PrepareResult> {
    const { local } = this.#deps;
    if (replicas > maxCopies) return { is: "failed", reason: tooMany };
    const { unused, used } = await this.#copies(ref);
    await this.#start(ref, unused.slice(0, Math.max(0, replicas - used.length)));
    const result = await local.scale({ ...ref, replicas });
    await this.#stopUnused(ref);
    return result;
  }

  async restart(ref: ReleaseRef): Promise<PrepareResult> {
    const { unused, used } = await this.#copies(ref);
    await this.#start(ref, unused.slice(0, used.length));
    const result = await this.#deps.local.restart(ref);
    await this.#stopUnused(ref);
    return result;
  }

  async retire({ afterMs, ...ref }: ReleaseRef & { readonly afterMs: number }): Promise<void> {
    await this.#deps.local.retire({ ...ref, afterMs });
    if (afterMs <= 0) return this.#endThere(ref);
    await this.#must("note when it ends", ref, scripts.retireLater, [String(Math.ceil(afterMs / 1000))]);
  }

  async stop(deploymentId: string): Promise<void> {
    await this.#deps.local.stop(deploymentId);
    await this.#must("stop", { deploymentId, releaseId: none }, scripts.stopAll, [this.#scope]);
  }

  async forget(deploymentId: string): Promise<void> {
    await this.#must("remove", { deploymentId, releaseId: none }, scripts.forgetAll, [this.#scope]);
  }

  /** What runs there goes on; the supervisor of this machine is another's to end. */
  async close(): Promise<void> {}

  async runScript(request: ScriptRequest, signal: AbortSignal): Promise<string | undefined> {
    const { machine } = this.#deps;
    const { name, command, env, secrets, limitMs, onOutput, deploymentId, releaseId } = request;
    await this.#send(request, signal);
    const base = this.#base(request);
    await this.#writeFiles([
      [
        `${base}/env/${releaseId}-${name}.env`,
        renderVariables({ ...secrets, ...env, SLIPWAY_DATA_DIR: `${base}/data` }),
      ],
      [`${base}/releases/${releaseId}.start/${name}.sh`, `${command}\n`],
    ]);
    const masker = new Masker(Object.values(secrets));
    let output = "";
    const tell = (text: string) => {
      output = (output + text).slice(-10_000);
      onOutput(text);
    };
    const seconds = Math.max(1, Math.ceil(limitMs / 1000));
    const { folder, runAs = "" } = machine.settings;
    const { exitCode } = await machine.run({
      ...{ script: scripts.runScript, words: [folder, deploymentId, releaseId, name, String(seconds), runAs] },
      ...{ onOutput: (text) => tell(masker.push(text)), limitMs: limitMs + 30_000, signal },
    });
    tell(masker.end());
    if (exitCode === 0) return undefined;
    const why =
      exitCode === 124
        ? `scripts.${name} took too long. Raise timeouts.implementation_minutes, or make it quicker.`
        : `scripts.${name} ended with exit code ${exitCode}.`;
    const last = lastLine(output);
    return last === "" ? why : `${why} Last output: ${last}`;
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
      return { is: "failed", reason: (await this.#whyEnded(request, 1)) ?? result.reason };
    } catch (error) {
      signal?.throwIfAborted();
      if (!isHopeless.signal.aborted) throw error;
      return { is: "failed", reason: (await looking) ?? "It does not get well." };
    } finally {
      isOver.abort();
      await looking.catch(() => undefined);
    }
  }

  async #untilHopeless(request: PrepareRequest, signal: AbortSignal): Promise<string | undefined> {
    for (;;) {
      await delay(lookMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      const reason = await this.#whyEnded(request, maxRestarts).catch(() => undefined);
      if (reason !== undefined) return reason;
    }
  }

  /** How a program of the version ended there, if that happened so often. */
  async #whyEnded(request: PrepareRequest, restarts: number): Promise<string | undefined> {
    const { plan, releaseId, secrets } = request;
    for (const [index, { label }] of plan.programs.entries()) {
      const words = [this.#scope, unitName(releaseId, index, 0)];
      const text = await this.#must("show a unit", request, scripts.readUnit, words);
      const [state = "", written = ""] = text.split("\n\n");
      const of = (key: string) => Number(new RegExp(`^${key}=(\\d+)$`, "m").exec(state)?.[1] ?? 0);
      // One that runs at this moment has no exit code: what is shown is not that of the one that ended.
      if (of("NRestarts") < restarts || /^ActiveState=active$/m.test(state)) continue;
      const masker = new Masker(Object.values(secrets));
      const last = lastLine(masker.push(written) + masker.end());
      return `${label} ended with exit code ${of("ExecMainStatus")}.${last === "" ? "" : ` Last output: ${last}`}`;
    }
    return undefined;
  }

  /** Sends the files of a version, unless they are there. */
  async #send(request: ReleaseRef, signal: AbortSignal | undefined): Promise<boolean> {
    const { machine, releaseFolder } = this.#deps;
    const { deploymentId, releaseId } = request;
    const words = [machine.settings.folder, ...checked(request)];
    const { exitCode } = await machine.run({ script: scripts.hasFiles, words, signal });
    if (exitCode === 0) return false;
    const archive = spawn("tar", ["-cf", "-", "-C", releaseFolder(deploymentId, releaseId), "."], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = new Promise<number | null>((resolve) => {
      archive.once("error", () => resolve(null));
      archive.once("close", resolve);
    });
    await machine.must("take the files", {
      ...{ script: scripts.takeFiles, words: [...words, machine.settings.runAs ?? ""], stdin: archive.stdout },
      ...{ limitMs: maxSendMs, signal },
    });
    if ((await ended) !== 0) throw new TargetFailure("The files of the version could not be packed.");
    return true;
  }

  /** The ports of a version; without a plan, those that it has. */
  async #ports({ plan, ...ref }: ReleaseRef & Partial<PrepareRequest>): Promise<readonly number[]> {
    const [from, to] = this.#deps.machine.settings.ports;
    const count = plan === undefined ? 0 : plan.programs.length - 1 + 2 * maxCopies;
    const words = [count, from, to].map(String);
    const written = (await this.#must("give ports", ref, scripts.claimPorts, words)).trim();
    return written === "" ? [] : written.split("\n").map(Number);
  }

  /** The copies of the program that gets the requests: those that the supervisor leads to, and the others, in its order. */
  async #copies(ref: ReleaseRef): Promise<{ readonly used: readonly string[]; readonly unused: readonly string[] }> {
    const all = await this.#ports(ref);
    const ports = all.slice(-2 * maxCopies);
    const entry = all.length - ports.length;
    const programs = (await this.#seen(ref))?.programs ?? [];
    const inUse = new Set(programs.map(({ portThere }) => portThere));
    const units = ports.map((port, copy) => ({ isUsed: inUse.has(port), unit: unitName(ref.releaseId, entry, copy) }));
    const of = (isUsed: boolean) => units.filter((one) => one.isUsed === isUsed).map(({ unit }) => unit);
    return { used: of(true), unused: of(false) };
  }

  async #write(request: PrepareRequest, ports: readonly number[]): Promise<void> {
    const { machine, releaseFolder } = this.#deps;
    const { deploymentId, releaseId, plan, secrets } = request;
    const { settings } = machine;
    const base = this.#base(request);
    const folder = releaseFolder(deploymentId, releaseId);
    const addresses = plan.programs.flatMap(({ addressVariable }, index) =>
      addressVariable === undefined ? [] : [[addressVariable, `http://127.0.0.1:${portsOf(plan, ports, index)[0]}`]],
    );
    const units = settings.scope === "user" ? "~/.config/systemd/user" : "/etc/systemd/system";
    const files = plan.programs.flatMap((program, index) => [
      [
        `${base}/releases/${releaseId}.start/${index}.sh`,
        renderStart(program, relative(folder, program.folder)),
      ] as const,
      ...portsOf(plan, ports, index).flatMap((port, copy) => {
        const variables = {
          ...program.env,
          ...secrets,
          ...Object.fromEntries(addresses),
          ...{ SLIPWAY_DATA_DIR: `${base}/data`, HOST: "127.0.0.1", PORT: String(port) },
        };
        return [
          [`${base}/env/${releaseId}-${index}-${copy}.env`, renderVariables(variables)] as const,
          [`${units}/${unitName(releaseId, index, copy)}`, renderUnit({ ...request, settings, index, copy })] as const,
        ];
      }),
    ]);
    await this.#writeFiles(files);
  }

  async #writeFiles(files: readonly (readonly [path: string, text: string])[]): Promise<void> {
    const { machine } = this.#deps;
    const lines = files.map(([path, text]) => `${path} ${Buffer.from(text).toString("base64")}\n`);
    await machine.must("write files", { script: scripts.writeFiles, stdin: lines.join("") });
  }

  #tunnels({ plan }: PrepareRequest, ports: readonly number[]): PrepareRequest["plan"]["programs"] {
    const { options, settings } = this.#deps.machine;
    return plan.programs.map((program, index) => {
      const tunnel = { options, destination: settings.host, ports: portsOf(plan, ports, index) };
      return { ...program, env: {}, tunnel };
    });
  }

  async #start(ref: ReleaseRef, units: readonly string[]): Promise<void> {
    await this.#must("start the programs", ref, scripts.startUnits, [this.#scope, ...units]);
  }

  async #stopUnused(ref: ReleaseRef): Promise<void> {
    const { unused } = await this.#copies(ref);
    await this.#must("stop copies", ref, scripts.stopUnits, [this.#scope, ...unused]);
  }

  async #seen({ deploymentId, releaseId }: ReleaseRef) {
    const deployment = (await this.#deps.local.list()).find((one) => one.deploymentId === deploymentId);
    return deployment?.releases.find((one) => one.releaseId === releaseId);
  }

  async #endThere(ref: ReleaseRef): Promise<void> {
    await this.#must("end the version", ref, scripts.endVersion, [this.#scope]);
  }

  /** Versions whose time is over end with the next look: at the latest after a minute. */
  async #sweep(): Promise<void> {
    const { machine, log } = this.#deps;
    const { name, folder } = machine.settings;
    const now = performance.now();
    if (now - (SshSupervision.#sweptAt.get(name) ?? Number.NEGATIVE_INFINITY) < sweepMs) return;
    SshSupervision.#sweptAt.set(name, now);
    const words = [folder, none, none, this.#scope];
    await machine.must("end old versions", { script: scripts.endRetired, words }).catch((error: unknown) => {
      log.warn({ err: error, target: name }, "Old versions on a machine could not be ended.");
    });
  }

  #must(what: string, ref: ReleaseRef, script: string, more: readonly string[] = []): Promise<string> {
    const { machine } = this.#deps;
    return machine.must(what, { script, words: [machine.settings.folder, ...checked(ref), ...more] });
  }

  #base({ deploymentId }: ReleaseRef): string {
    return `${this.#deps.machine.settings.folder}/apps/${deploymentId}`;
  }

  get #scope(): string {
    return this.#deps.machine.settings.scope;
  }
}

const none = "none";
const tooMany = `A machine runs at most ${maxCopies} copies of a version.`;

/** Ids become paths there: nothing else may. */
function checked({ deploymentId, releaseId }: ReleaseRef): readonly [string, string] {
  if (![deploymentId, releaseId].every((id) => /^\w+$/.test(id))) throw new Error("This is not an id of ours.");
  return [deploymentId, releaseId];
}

/** Each program but the last has one port; the last has those of its copies, and as many to restart them. */
function portsOf({ programs }: PrepareRequest["plan"], ports: readonly number[], index: number): readonly number[] {
  return index === programs.length - 1 ? ports.slice(programs.length - 1) : ports.slice(index, index + 1);
}

function copiesOf({ plan, releaseId }: PrepareRequest, replicas: number): readonly string[] {
  const entry = plan.programs.length - 1;
  return [
    ...plan.programs.slice(0, -1).map((_, index) => unitName(releaseId, index, 0)),
    ...Array.from({ length: replicas }, (_, copy) => unitName(releaseId, entry, copy)),
  ];
}
