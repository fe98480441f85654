import { setTimeout as delay } from "node:timers/promises";
import type {
  ClientContext,
  LoadSessionResponse,
  NewSessionResponse,
  PromptResponse,
  RequestPermissionRequest,
  SessionModeState,
} from "@agentclientprotocol/sdk";
import { messageOf } from "../../../platform/errors/index.ts";
import { shortened } from "../../../platform/one-line.ts";
import type { AgentHost, AgentProcess, AgentReport, AgentRun, AgentWork, Program } from "../driver.ts";
import { EventQueue } from "../event-queue.ts";
import { failed } from "../failed-report.ts";
import { readOutput } from "../read-output.ts";
import { reportDone } from "../take-breakdown.ts";
import { AcpError } from "./acp-error.ts";
import { connectAgent, greet } from "./connect-agent.ts";
import { Permissions } from "./permissions.ts";
import { UpdateReader } from "./read-update.ts";
import { readUsage } from "./read-usage.ts";
import { RecentOutput } from "./recent-output.ts";
import { failureOf } from "./stop-reason.ts";
import { withTimeout } from "./with-timeout.ts";

export interface AcpLimits {
  /** How long the agent may take to answer a request other than the prompt. */
  readonly answerMs: number;
  /** How long it may take to stop after a cancel before it is killed. */
  readonly cancelMs: number;
  /** How long it may take to exit after its last message before it is killed. */
  readonly exitGraceMs: number;
}

export interface AcpAgent {
  readonly program: Program;
  readonly limits: AcpLimits;
  readonly mode: string | undefined;
}

/** A run by the Agent Client Protocol: one program, one session, one prompt. */
export class AcpRun implements AgentRun {
  readonly events = new EventQueue();
  readonly result: Promise<AgentReport>;
  readonly #agent: AcpAgent;
  readonly #work: AgentWork;
  readonly #host: AgentHost;
  readonly #handle: string | undefined;
  readonly #permissions = new Permissions();
  readonly #recentOutput = new RecentOutput();
  readonly #updates: UpdateReader;
  #process: AgentProcess | undefined;
  #session: { readonly agent: ClientContext; readonly id: string } | undefined;
  #isReplaying = false;
  #isCancelled = false;

  constructor(agent: AcpAgent, work: AgentWork, host: AgentHost, handle?: string) {
    this.#agent = agent;
    this.#work = work;
    this.#host = host;
    this.#handle = handle;
    this.#updates = new UpdateReader(work.folder, (event) => this.events.push(event));
    this.result = this.#carryOut();
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#permissions.close();
    if (this.#session === undefined) {
      this.#process?.kill();
      return;
    }
    const { agent, id } = this.#session;
    agent.notify("session/cancel", { sessionId: id }).catch(() => {});
    setTimeout(() => this.#process?.kill(), this.#agent.limits.cancelMs).unref();
  }

  respond(permissionId: string, isAllowed: boolean): void {
    this.#permissions.answer(permissionId, isAllowed);
  }

  async #carryOut(): Promise<AgentReport> {
    const onAbort = () => this.cancel();
    this.#host.signal.addEventListener("abort", onAbort, { once: true });
    if (this.#host.signal.aborted) onAbort();
    try {
      const failure = await this.#talk();
      await this.#end();
      return failure ?? (await reportDone(this.#work));
    } catch (error) {
      return await this.#explain(error);
    } finally {
      this.#host.signal.removeEventListener("abort", onAbort);
      this.#process?.kill();
      this.#permissions.close();
      this.#updates.flush();
      this.events.close();
    }
  }

  async #talk(): Promise<AgentReport | undefined> {
    if (this.#isCancelled) return failureOf("cancelled");
    this.#process = this.#host.start(this.#agent.program);
    const decoder = new TextDecoder();
    const onChunk = (chunk: Buffer) => this.#log("stderr", decoder.decode(chunk, { stream: true }));
    void readOutput(this.#process.stderr, this.events, onChunk);
    const listener = {
      onUpdate: (params: unknown) => {
        if (!this.#isReplaying) this.#updates.read(params);
      },
      onChatter: (line: string) => this.#log("stdout", `${line}\n`),
      onPermission: (request: RequestPermissionRequest) => this.#ask(request),
      whenRoom: () => this.events.whenRoom(),
    };
    return connectAgent(this.#process, listener, (agent) => this.#prompt(agent));
  }

  async #prompt(agent: ClientContext): Promise<AgentReport | undefined> {
    this.#report("connecting to the agent");
    const { sessionId, modes } = await this.#openSession(agent);
    await this.#setMode(agent, sessionId, modes);
    // Before the prompt: after a crash the run is resumed from this handle.
    await this.#host.saveHandle(sessionId);
    if (this.#isCancelled) return failureOf("cancelled");
    this.#session = { agent, id: sessionId };
    this.#report("working");
    const answer = await agent.request("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text: this.#work.prompt }],
    });
    this.#updates.flush();
    const usage = readUsage(answer);
    if (usage !== undefined) this.events.push(usage);
    // An agent may answer with anything.
    return failureOf((answer as PromptResponse | null)?.stopReason);
  }

  async #setMode(agent: ClientContext, sessionId: string, modes: SessionModeState | null | undefined): Promise<void> {
    const { mode, limits } = this.#agent;
    if (mode === undefined || modes?.currentModeId === mode) return;
    const offered: unknown = modes?.availableModes;
    const known = Array.isArray(offered) ? offered.flatMap((one: { id?: unknown } | null) => one?.id ?? []) : [];
    if (!known.includes(mode)) {
      const names = known.filter((id) => typeof id === "string");
      const choice = names.length === 0 ? "none" : shortened(names.join(", "), 1_000);
      throw new AcpError("agent_mode", `The agent has no mode '${mode}'; it has: ${choice}.`);
    }
    const setting = agent.request("session/set_mode", { sessionId, modeId: mode });
    await withTimeout(limits.answerMs, "session/set_mode", setting);
  }

  async #openSession(agent: ClientContext): Promise<OpenedSession> {
    const { answerMs } = this.#agent.limits;
    const { folder } = this.#work;
    const greeting = await withTimeout(answerMs, "initialize", greet(agent));
    if (!greeting.isOurVersion) {
      const message = `The agent speaks version ${greeting.protocolVersion} of the protocol, which is not ours.`;
      throw new AcpError("agent_protocol", message);
    }
    const options = { cwd: folder, mcpServers: [] };
    const sessionId = this.#handle;
    if (sessionId !== undefined && greeting.agentCapabilities?.loadSession === true) {
      this.#isReplaying = true;
      try {
        const loading: Promise<LoadSessionResponse> = agent.request("session/load", { sessionId, ...options });
        const loaded = await withTimeout(answerMs, "session/load", loading);
        return { sessionId, modes: loaded?.modes };
      } catch {
        this.#report("the agent no longer has the session: starting a new one");
      } finally {
        this.#isReplaying = false;
      }
    }
    const opening: Promise<NewSessionResponse> = agent.request("session/new", options);
    const opened = await withTimeout(answerMs, "session/new", opening);
    // An agent may answer with anything.
    if (typeof (opened as NewSessionResponse | null)?.sessionId !== "string")
      throw new AcpError("agent_protocol", "The agent answered session/new without the id of a session.");
    return { sessionId: opened.sessionId, modes: opened.modes };
  }

  #ask({ options, toolCall }: RequestPermissionRequest) {
    const { title, tool } = this.#updates.describe(toolCall);
    return this.#permissions.ask(options, (id) => this.events.push({ type: "permission", id, title, tool }));
  }

  /** Lets the program exit by itself: some agents save their session then. */
  async #end(): Promise<void> {
    const process = this.#process;
    if (process === undefined) return;
    process.stdin.end();
    await Promise.race([process.ended, delay(this.#agent.limits.exitGraceMs)]);
    process.kill();
    await Promise.race([process.ended, delay(this.#agent.limits.exitGraceMs)]);
  }

  async #explain(error: unknown): Promise<AgentReport> {
    if (this.#isCancelled) return failureOf("cancelled")!;
    if (error instanceof AcpError)
      return failed(error.code, `${error.message}${await this.#recentOutput.told(this.#host)}`);
    const answered = readRequestError(error);
    if (answered !== undefined) return answered;
    const end = this.#process && (await Promise.race([this.#process.ended, delay(this.#agent.limits.exitGraceMs)]));
    if (end !== undefined) {
      const how = end.exitCode === null ? "was ended" : `ended with exit code ${end.exitCode}`;
      const said = await this.#recentOutput.told(this.#host);
      return failed("agent_ended", `The agent's program ${how} before it was done.${said}`);
    }
    return failed("agent_failed", messageOf(error));
  }

  #report(text: string): void {
    this.events.push({ type: "status", text });
  }

  #log(stream: "stdout" | "stderr", text: string): void {
    this.#recentOutput.add(text);
    this.events.push({ type: "log", stream, text });
  }
}

interface OpenedSession {
  readonly sessionId: string;
  readonly modes: SessionModeState | null | undefined;
}

const loginRequired = -32_000;

/** The error that the agent answered with, told by its name: the library is loaded late. */
function readRequestError(error: unknown): AgentReport | undefined {
  if (!(error instanceof Error) || error.name !== "RequestError") return undefined;
  const { code, data } = error as Error & { code?: unknown; data?: { details?: unknown } | null };
  if (code === loginRequired)
    return failed("agent_login", "The agent is not logged in to its model: give it a key, or log in where it runs.");
  const details = typeof data?.details === "string" ? ` (${shortened(data.details, 500)})` : "";
  return failed("agent_failed", `The agent answered with an error: ${shortened(error.message, 500)}${details}`);
}
