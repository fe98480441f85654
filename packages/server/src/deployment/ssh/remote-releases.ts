import { relative } from "node:path";
import { PassThrough } from "node:stream";
import { causeLine } from "../../platform/cause-line.ts";
import { spawnProgram } from "../../platform/process/index.ts";
import { type Masked, Masker, ownWords, partOf } from "../../platform/secrets/index.ts";
import { scriptTooLong } from "../script-too-long.ts";
import { type PrepareRequest, type ReleaseRef, type ScriptRequest, TargetFailure } from "../supervisor/index.ts";
import type { Machine } from "./machine.ts";
import * as scripts from "./remote-scripts.ts";
import { renderStart, renderUnit, renderVariables, unitName } from "./render-units.ts";

interface RemoteReleasesDeps {
  readonly machine: Machine;
  /** The files of a version on this machine. */
  readonly releaseFolder: (deploymentId: string, releaseId: string) => string;
}

/** Of one version; a restart starts as many again before the old ones end. */
export const maxCopies = 4;
const maxSendMs = 600_000;
/** Where a script takes an id and there is none. */
const none = "none";

/** The files, ports and systemd units of versions on another machine. */
export class RemoteReleases {
  readonly #deps: RemoteReleasesDeps;

  constructor(deps: RemoteReleasesDeps) {
    this.#deps = deps;
  }

  /** Sends the files of a version; returns whether they were not there yet. */
  async send(request: ReleaseRef, signal: AbortSignal | undefined): Promise<boolean> {
    const { machine, releaseFolder } = this.#deps;
    const { deploymentId, releaseId } = request;
    const words = [machine.settings.folder, ...requireIds(request)];
    const { exitCode } = await machine.run({ script: scripts.hasFiles, words, signal });
    if (exitCode === 0) return false;
    const archive = spawnProgram("tar", ["-cf", "-", "-C", releaseFolder(deploymentId, releaseId), "."], {
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
  async claimPorts({ plan, ...ref }: ReleaseRef & Partial<PrepareRequest>): Promise<readonly number[]> {
    const [from, to] = this.#deps.machine.settings.ports;
    const count = plan === undefined ? 0 : plan.programs.length - 1 + 2 * maxCopies;
    const words = [count, from, to].map(String);
    const written = (await this.#must("give ports", ref, scripts.claimPorts, words)).trim();
    return written === "" ? [] : written.split("\n").map(Number);
  }

  /** Writes what starts each copy of each program. */
  async write(request: PrepareRequest, ports: readonly number[]): Promise<void> {
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

  /** Starts these units, and takes back that the version was to end. */
  async start(ref: ReleaseRef, units: readonly string[]): Promise<void> {
    await this.#must("start the programs", ref, scripts.startUnits, [this.#scope, ...units]);
  }

  async stop(ref: ReleaseRef, units: readonly string[]): Promise<void> {
    await this.#must("stop copies", ref, scripts.stopUnits, [this.#scope, ...units]);
  }

  async pointAt(ref: ReleaseRef): Promise<void> {
    await this.#must("point at the version", ref, scripts.pointAt);
  }

  async end(ref: ReleaseRef): Promise<void> {
    await this.#must("end the version", ref, scripts.endVersion, [this.#scope]);
  }

  async endLater(ref: ReleaseRef, afterMs: number): Promise<void> {
    await this.#must("note when it ends", ref, scripts.retireLater, [String(Math.ceil(afterMs / 1000))]);
  }

  /** Ends all versions whose time is over. */
  async endRetired(): Promise<void> {
    const { machine } = this.#deps;
    const words = [machine.settings.folder, none, none, this.#scope];
    await machine.must("end old versions", { script: scripts.endRetired, words });
  }

  async stopAll(deploymentId: string): Promise<void> {
    await this.#must("stop", { deploymentId, releaseId: none }, scripts.stopAll, [this.#scope]);
  }

  async forgetAll(deploymentId: string): Promise<void> {
    await this.#must("remove", { deploymentId, releaseId: none }, scripts.forgetAll, [this.#scope]);
  }

  /** How a program of the version ended there, if that happened so often. */
  async whyEnded(request: PrepareRequest, restarts: number): Promise<Masked | undefined> {
    const { plan, releaseId, secrets } = request;
    for (const [index, { label }] of plan.programs.entries()) {
      const words = [this.#scope, unitName(releaseId, index, 0)];
      const text = await this.#must("show a unit", request, scripts.readUnit, words);
      const [state = "", written = ""] = text.split("\n\n");
      const of = (key: string) => Number(new RegExp(`^${key}=(\\d+)$`, "m").exec(state)?.[1] ?? 0);
      // One that runs at this moment has no exit code: what is shown is not that of the one that ended.
      if (of("NRestarts") < restarts || /^ActiveState=active$/m.test(state)) continue;
      const masker = new Masker(Object.values(secrets));
      const said = partOf(masker.mask(written), (text) => causeLine(text, 500));
      const ended = ownWords`${masker.mask(label)} ended with exit code ${of("ExecMainStatus")}.`;
      return said === "" ? ended : ownWords`${ended} ${said}`;
    }
    return undefined;
  }

  /** Runs a script of the version there; returns why it failed. */
  async runScript(request: ScriptRequest, signal: AbortSignal): Promise<string | undefined> {
    const { machine } = this.#deps;
    const { name, command, env, secrets, limitMs, onOutput, deploymentId, releaseId } = request;
    await this.send(request, signal);
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
    // It ends when we go away, or nobody waits for the script any more.
    const stdin = new PassThrough();
    const startedAtMs = performance.now();
    const call = machine.run({
      ...{ stdin, script: scripts.runScript, words: [folder, deploymentId, releaseId, name, String(seconds), runAs] },
      ...{ onOutput: (text) => tell(masker.push(text)), limitMs: limitMs + 30_000, signal },
    });
    const { exitCode } = await call.finally(() => tell(masker.end()));
    if (exitCode === 0) return undefined;
    // A program that it calls may have had a limit of its own. The machine's clock may be a little faster than ours.
    const isTooLong = exitCode === 124 && performance.now() - startedAtMs >= 900 * seconds;
    const code = exitCode === scripts.insteadOf255 ? 255 : exitCode;
    const why = isTooLong ? scriptTooLong(name, limitMs) : `scripts.${name} ended with exit code ${code}.`;
    return `${why} ${causeLine(output, 500)}`.trim();
  }

  async #writeFiles(files: readonly (readonly [path: string, text: string])[]): Promise<void> {
    const { machine } = this.#deps;
    const lines = files.map(([path, text]) => `${path} ${Buffer.from(text).toString("base64")}\n`);
    await machine.must("write files", { script: scripts.writeFiles, stdin: lines.join("") });
  }

  #must(what: string, ref: ReleaseRef, script: string, more: readonly string[] = []): Promise<string> {
    const { machine } = this.#deps;
    return machine.must(what, { script, words: [machine.settings.folder, ...requireIds(ref), ...more] });
  }

  #base({ deploymentId }: ReleaseRef): string {
    return `${this.#deps.machine.settings.folder}/apps/${deploymentId}`;
  }

  get #scope(): string {
    return this.#deps.machine.settings.scope;
  }
}

/** Ids become paths there: nothing else may. */
function requireIds({ deploymentId, releaseId }: ReleaseRef): readonly [string, string] {
  if (![deploymentId, releaseId].every((id) => /^\w+$/.test(id))) throw new Error("This is not an id of ours.");
  return [deploymentId, releaseId];
}

/** Each program but the last has one port; the last has those of its copies, and as many to restart them. */
export function portsOf(
  { programs }: PrepareRequest["plan"],
  ports: readonly number[],
  index: number,
): readonly number[] {
  return index === programs.length - 1 ? ports.slice(programs.length - 1) : ports.slice(index, index + 1);
}
