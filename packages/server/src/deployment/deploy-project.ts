import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type CompleteSpec, readinessOf } from "@slipway/spec";
import type { Failure } from "../platform/errors/index.ts";
import type { OutputLog } from "../platform/log/index.ts";
import {
  documentLimits,
  limitMessage,
  type ProcessOutcome,
  type RunningCommand,
  type Sandbox,
  startServer,
} from "../platform/sandbox/index.ts";
import { Masker } from "../platform/secrets/index.ts";

interface ToDeploy {
  readonly projectId: string;
  readonly document: CompleteSpec;
  /** How the project is deployed or started. */
  readonly scripts: { readonly deploy?: string; readonly start?: string; readonly health_check?: string };
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
    const end = await this.#sandbox
      .runCommand(toRun, { ...documentLimits(document), limitMs, signal })
      .finally(() => log.end());
    if (end.exitCode === 0) return { deployment: { version, url: "" } };
    signal.throwIfAborted();
    return failed(whyEnded("deploy", end.outcome), end.output);
  }

  async #start(command: string, version: string, toDeploy: ToDeploy) {
    const { projectId, document, folder, signal, minuteMs, secrets, openLog } = toDeploy;
    const log = openLog("app");
    log.write(`$ ${command}\n`);
    const { path, status, withinSeconds, maxErrors } = readinessOf(document);
    const maxMs = 0.9 * document.timeouts.implementation_minutes * minuteMs;
    const started = await startServer(this.#sandbox, {
      ...{ name: "scripts.start", command, folder, env: secrets, signal, maxErrors, onOutput: log.write },
      masker: new Masker(Object.values(secrets)),
      limits: documentLimits(document),
      readiness: { path, ...(status !== undefined && { status }) },
      // Less than the attempt may take, so that its error names the reason.
      readyWithinMs: Math.min(withinSeconds * 1000, maxMs),
    }).catch((error: unknown) => {
      log.end();
      throw error;
    });
    if ("failure" in started) {
      log.end();
      return failed(started.failure, started.output);
    }
    const { url, running } = started;
    void running.ended.then((end) => {
      // Nobody waits for a program that is live: its log is where people look.
      log.write(end.is === "cancelled" ? "" : `\n${whyEnded("start", end)}\n`);
      log.end();
    });
    try {
      const unhealthy = await this.#whyUnhealthy(url, toDeploy);
      if (unhealthy !== undefined) return unhealthy;
      this.#live.get(projectId)?.kill();
      this.#live.set(projectId, running);
      return { deployment: { version, url } };
    } finally {
      if (this.#live.get(projectId) !== running) running.kill();
    }
  }

  /** What `scripts.health_check` says of a started program, after `health_check_retries`; undefined if it is content. */
  async #whyUnhealthy(url: string, toDeploy: ToDeploy): Promise<DeploymentResult | undefined> {
    const { document, folder, signal, secrets, openLog } = toDeploy;
    const command = toDeploy.scripts.health_check;
    if (command === undefined) return undefined;
    const { port, hostname } = new URL(url);
    const env = { ...secrets, PORT: port, HOST: hostname, URL: url };
    const log = openLog("health_check");
    log.write(`$ ${command}\n`);
    try {
      for (let retries = document.guardrails.deployment.health_check_retries; ; retries -= 1) {
        const masker = new Masker(Object.values(secrets));
        const toRun = { command, folder, env, masker, onOutput: log.write, network: "all" } as const;
        const limits = { ...documentLimits(document), limitMs: maxHealthCheckMs, signal };
        const end = await this.#sandbox.runCommand(toRun, limits);
        if (end.exitCode === 0) return undefined;
        signal.throwIfAborted();
        if (retries <= 0) return failed(whyEnded("health_check", end.outcome), end.output);
        await delay(healthCheckPauseMs, undefined, { signal });
      }
    } finally {
      log.end();
    }
  }
}

const maxHealthCheckMs = 60_000;
const healthCheckPauseMs = 500;

function whyEnded(name: "deploy" | "start" | "health_check", outcome: ProcessOutcome): string {
  const script = `scripts.${name}`;
  if (outcome.is === "timeout")
    return `${script} took too long. Raise timeouts.implementation_minutes, or make it quicker.`;
  const exitCode = outcome.is === "exited" ? outcome.exitCode : null;
  return limitMessage(script, outcome) ?? `${script} ended with exit code ${exitCode}.`;
}

function failed(message: string, output: string): DeploymentResult {
  const last = output.trim().split("\n").at(-1)?.slice(0, 500) ?? "";
  const explained = last === "" ? message : `${message} Last output: ${last}`;
  return { error: { code: "deployment_failed", message: explained }, log: output };
}
