import { createHash } from "node:crypto";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { CompleteSpec } from "@slipway/spec";
import type { Failure } from "../platform/errors/index.ts";
import type { OutputLog } from "../platform/log/index.ts";
import type { RunningCommand, Sandbox } from "../platform/sandbox/index.ts";
import { Masker } from "../platform/secrets/index.ts";

interface ToDeploy {
  readonly projectId: string;
  readonly document: CompleteSpec;
  /** How the project is deployed or started. */
  readonly scripts: { readonly deploy?: string; readonly start?: string };
  /** A folder with the project's files; it stays while the deployment is live. */
  readonly folder: string;
  readonly commit: string;
  readonly signal: AbortSignal;
  readonly minuteMs: number;
  /** The document's secrets by name: programs find them in their environment. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Opens a log for a program's output, for as long as the program runs. */
  readonly openLog: (source: string) => OutputLog;
}

/** What is live: its version and address; the address is empty for what is not reached over HTTP. */
interface LiveDeployment {
  readonly version: string;
  readonly url: string;
}

export type DeploymentResult =
  | { readonly deployment: LiveDeployment }
  | { readonly error: Failure; readonly log: string };

const host = "127.0.0.1";

/** How long a started program has until it answers; less than the attempt may take, so that its error names the reason. */
const answersWithinMinutes = 2;

/** The deployed programs of this node: each runs until it is replaced or the service stops. */
export class Deployments {
  readonly #sandbox: Pick<Sandbox, "runCommand" | "startCommand">;
  readonly #live = new Map<string, RunningCommand>();

  constructor(sandbox: Pick<Sandbox, "runCommand" | "startCommand">) {
    this.#sandbox = sandbox;
  }

  /**
   * Runs `scripts.deploy`; without one, starts `scripts.start` and waits until it answers. The document's
   * `deployment.strategy` and `deployment.canary` have no effect yet.
   */
  async deploy(toDeploy: ToDeploy): Promise<DeploymentResult> {
    const { scripts, commit } = toDeploy;
    const version = createHash("sha256").update(commit).digest("hex").slice(0, 12);
    const { deploy, start } = scripts;
    if (deploy !== undefined) return this.#runScript(deploy, version, toDeploy);
    if (start !== undefined) return this.#start(start, version, toDeploy);
    // A library or a set of pages has nothing to start.
    return { deployment: { version, url: "" } };
  }

  /** Ends what a project has live on this node. */
  end(projectId: string): void {
    this.#live.get(projectId)?.kill();
    this.#live.delete(projectId);
  }

  /** Ends everything that is live on this node. */
  async stop(): Promise<void> {
    const all = [...this.#live.values()];
    this.#live.clear();
    for (const running of all) running.kill();
    await Promise.all(all.map(({ ended }) => ended));
  }

  async #runScript(command: string, version: string, toDeploy: ToDeploy) {
    const { document, folder, signal, minuteMs, secrets, openLog } = toDeploy;
    const limitMs = document.timeouts.implementation_minutes * minuteMs;
    const log = openLog("deploy");
    log.write(`$ ${command}\n`);
    const toRun = {
      ...{ command, folder, onOutput: log.write, masker: new Masker(Object.values(secrets)) },
      env: { ...secrets, SLIPWAY_VERSION: version },
    };
    const end = await this.#sandbox.runCommand(toRun, { limitMs, signal }).finally(() => log.end());
    if (end.exitCode === 0) return { deployment: { version, url: "" } };
    signal.throwIfAborted();
    const how = end.isTimedOut ? "took too long" : `ended with exit code ${end.exitCode}`;
    return failed(`scripts.deploy ${how}.`, end.output);
  }

  async #start(command: string, version: string, toDeploy: ToDeploy) {
    const { projectId, document, folder, signal, minuteMs, secrets, openLog } = toDeploy;
    const port = await freePort();
    const url = `http://${host}:${port}`;
    const log = openLog("app");
    log.write(`$ ${command}\n`);
    const env = { ...secrets, PORT: String(port), HOST: host };
    const masker = new Masker(Object.values(secrets));
    const running = this.#sandbox.startCommand({ command, folder, env, masker, onOutput: log.write });
    let exitCode: number | null | undefined;
    void running.ended.then((code) => {
      exitCode = code;
      log.end();
    });
    const deadline =
      performance.now() + Math.min(answersWithinMinutes, 0.9 * document.timeouts.implementation_minutes) * minuteMs;
    try {
      while (!(await answers(url))) {
        signal.throwIfAborted();
        if (exitCode !== undefined)
          return failed(`scripts.start ended with exit code ${exitCode}.`, await running.output());
        if (performance.now() > deadline) return failed("scripts.start does not answer.", await running.output());
        await delay(100, undefined, { signal });
      }
      this.#live.get(projectId)?.kill();
      this.#live.set(projectId, running);
      return { deployment: { version, url } };
    } finally {
      if (this.#live.get(projectId) !== running) running.kill();
    }
  }
}

function failed(message: string, output: string): DeploymentResult {
  const last = output.trim().split("\n").at(-1)?.slice(0, 500) ?? "";
  const explained = last === "" ? message : `${message} Last output: ${last}`;
  return { error: { code: "deployment_failed", message: explained }, log: output };
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2_000), redirect: "manual" });
    await answer.body?.cancel();
    return answer.status < 500;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, host, resolve));
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
