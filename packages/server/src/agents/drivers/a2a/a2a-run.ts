import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Message, Part, StreamResponse, Task, TaskStatus } from "@a2a-js/sdk";
import { type NetworkLimits, waitMs } from "../../../platform/network/index.ts";
import { oneLine } from "../../../platform/one-line.ts";
import type { AgentEvent, AgentHost, AgentReport, AgentRun, AgentWork } from "../driver.ts";
import { EventQueue } from "../event-queue.ts";
import { reportDone } from "../take-breakdown.ts";
import { A2aError } from "./a2a-error.ts";
import { takeMade } from "./apply-artifacts.ts";
import { type Connection, connect } from "./connect.ts";
import { packProject } from "./pack-project.ts";
import { sortParts } from "./read-artifacts.ts";

/** How long an agent is waited for. */
export interface A2aLimits {
  /** Between two looks at how far it is, where it does not tell by itself. */
  readonly pollMs: number;
  /** For the request to stop. */
  readonly cancelMs: number;
}

/** An agent elsewhere, as its settings and the project say. */
export interface RemoteAgent {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  readonly network: NetworkLimits;
  readonly limits: A2aLimits;
}

/** Nothing more will come of it by itself. */
const settledStates = ["COMPLETED", "FAILED", "CANCELED", "REJECTED", "INPUT_REQUIRED", "AUTH_REQUIRED"].map(
  (name) => `TASK_STATE_${name}`,
);
const noSuchTask = "TaskNotFoundError";

/** An agent elsewhere at work: one message, one task, and its artifacts as the result. */
export class A2aRun implements AgentRun {
  readonly events = new EventQueue<AgentEvent>();
  readonly result: Promise<AgentReport>;
  readonly #agent: RemoteAgent;
  readonly #work: AgentWork;
  readonly #host: AgentHost;
  readonly #stop = new AbortController();
  #connection: Connection | undefined;
  #taskId: string | undefined;
  #lastSaid = "";
  /** That the other side is asked to stop. */
  #stopping: Promise<unknown> | undefined;

  constructor(agent: RemoteAgent, work: AgentWork, host: AgentHost, handle?: string) {
    this.#agent = agent;
    this.#work = work;
    this.#host = host;
    this.result = this.#carryOut(handle);
  }

  cancel(): void {
    if (this.#stop.signal.aborted) return;
    this.#endTask();
    this.#stop.abort();
  }

  async #carryOut(handle: string | undefined): Promise<AgentReport> {
    const onAbort = () => this.cancel();
    this.#host.signal.addEventListener("abort", onAbort, { once: true });
    if (this.#host.signal.aborted) onAbort();
    try {
      return await this.#ask(handle);
    } catch (error) {
      return this.#explain(error);
    } finally {
      this.#host.signal.removeEventListener("abort", onAbort);
      await this.#stopping;
      this.events.close();
    }
  }

  async #ask(handle: string | undefined): Promise<AgentReport> {
    const { url, fetch } = this.#agent;
    this.#tell("reading the agent's card");
    this.#connection = await this.#again(() => connect(url, fetch, this.#stop.signal));
    this.#tell(`talking to ${oneLine(this.#connection.card.name, 100)}`);
    const isThere = handle !== undefined && (await this.#find(handle));
    if (isThere) {
      await this.#keep(handle);
      return this.#conclude(await this.#poll(handle));
    }
    const packed = await packProject(this.#host, this.#work.folder);
    if (packed !== undefined && "problem" in packed) return failed("too_large", packed.problem);
    const answer = await this.#send(messageOf(this.#work.prompt, packed?.bytes));
    return "messageId" in answer ? this.#take([answer]) : this.#conclude(answer);
  }

  /** Sends the message and waits for what comes of it; where it is told piece by piece, that is told on. */
  async #send(message: Message): Promise<Message | Task> {
    const { client, isStreaming } = this.#connection!;
    const request = { tenant: "", message, configuration: undefined, metadata: undefined };
    const options = { signal: this.#stop.signal };
    if (!isStreaming) {
      const answer = await this.#again(() => client.sendMessage(request, options), { isHeardOnce: true });
      if ("messageId" in answer) return answer;
      await this.#keep(answer.id);
      return this.#poll(answer.id);
    }
    const answer = await this.#again(() => this.#listen(client.sendMessageStream(request, options)), {
      isHeardOnce: true,
    });
    if (answer !== undefined) return answer;
    if (this.#taskId === undefined)
      throw new A2aError("agent_answer", "The agent's answer ended before it said anything.");
    return this.#poll(this.#taskId);
  }

  /** Until the stream ends or breaks; gives the message, if that is all that the agent answers. */
  async #listen(stream: AsyncIterable<StreamResponse>): Promise<Message | undefined> {
    try {
      for await (const { payload } of stream) {
        if (payload?.$case === "message") return payload.value;
        if (payload === undefined) continue;
        await this.#keep(payload.$case === "task" ? payload.value.id : payload.value.taskId);
        if (payload.$case === "artifactUpdate")
          this.#tell(`made ${oneLine(payload.value.artifact?.name || "something", 100)}`);
        else if (this.#noteStatus(payload.value.status)) return undefined;
      }
    } catch (error) {
      // What came of it can still be asked for.
      if (this.#taskId === undefined || this.#stop.signal.aborted) throw error;
    }
    return undefined;
  }

  async #find(taskId: string): Promise<boolean> {
    try {
      await this.#read(taskId);
      return true;
    } catch (error) {
      if ((error as Error).name !== noSuchTask) throw error;
      this.#tell("its task is gone: beginning a new one");
      return false;
    }
  }

  async #poll(taskId: string): Promise<Task> {
    for (;;) {
      const task = await this.#read(taskId);
      if (this.#noteStatus(task.status)) return task;
      await delay(this.#agent.limits.pollMs, undefined, { signal: this.#stop.signal });
    }
  }

  #read(id: string): Promise<Task> {
    const { client } = this.#connection!;
    return this.#again(() => client.getTask({ tenant: "", id, historyLength: 0 }, { signal: this.#stop.signal }));
  }

  async #keep(taskId: string): Promise<void> {
    if (this.#taskId === taskId || taskId === "") return;
    this.#taskId = taskId;
    await this.#host.keepHandle(taskId);
  }

  /** Tells what is new of it; says whether it is settled. */
  #noteStatus(status: TaskStatus | undefined): boolean {
    const name = this.#connection!.nameOf(status?.state);
    const said = textOf(status?.message?.parts) || name.replace("TASK_STATE_", "").toLowerCase().replaceAll("_", " ");
    if (said !== this.#lastSaid) this.#tell(oneLine(said, 500));
    this.#lastSaid = said;
    return settledStates.includes(name);
  }

  async #conclude({ status, artifacts }: Task): Promise<AgentReport> {
    const said = oneLine(textOf(status?.message?.parts), 1_000);
    const why = said === "" ? "." : `: ${said}`;
    switch (this.#connection!.nameOf(status?.state)) {
      case "TASK_STATE_COMPLETED":
        return this.#take(artifacts);
      case "TASK_STATE_REJECTED":
        return failed("agent_refused", `The agent refused the task${why}`);
      case "TASK_STATE_CANCELED":
        return failed("agent_cancelled", "The agent was stopped on its side.");
      case "TASK_STATE_INPUT_REQUIRED":
        this.#endTask();
        return failed("agent_asks", `The agent asks for something, and nobody is there to answer it${why}`);
      case "TASK_STATE_AUTH_REQUIRED":
        this.#endTask();
        return failed("agent_login", `The agent wants a login that it was not given${why}`);
      default:
        return failed("agent_failed", `The agent failed${why}`);
    }
  }

  async #take(artifacts: readonly { readonly parts: Part[] }[]): Promise<AgentReport> {
    const made = sortParts(artifacts);
    for (const text of made.texts) this.events.push({ type: "message", text });
    for (const { path } of made.files) this.events.push({ type: "file", path, change: "written" });
    return (await takeMade(this.#host, this.#work.folder, made)) ?? reportDone(this.#work);
  }

  /** Tries again what may go well the next time, as often as the document allows. */
  async #again<T>(work: () => Promise<T>, { isHeardOnce = false } = {}): Promise<T> {
    const { network } = this.#agent;
    const { signal } = this.#stop;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof A2aError) || !error.isPassing || attempt >= network.maxAttempts) throw error;
        // Who has heard it may be at work already.
        if (isHeardOnce && error.mayHaveBeenHeard) throw error;
        this.#tell(`${error.message} Trying again.`);
        await delay(waitMs(attempt, network, error.retryAfterMs), undefined, { signal });
      }
    }
  }

  #endTask(): void {
    if (this.#taskId === undefined || this.#connection === undefined) return;
    const signal = AbortSignal.timeout(this.#agent.limits.cancelMs);
    const request = { tenant: "", id: this.#taskId, metadata: undefined };
    this.#stopping = this.#connection.client.cancelTask(request, { signal }).catch(() => undefined);
  }

  #explain(error: unknown): AgentReport {
    if (this.#stop.signal.aborted) return failed("agent_cancelled", "The agent was stopped before it was done.");
    if (error instanceof A2aError) return failed(error.code, error.message);
    const { message } = error as Error;
    return failed("agent_failed", `The agent answered with an error: ${oneLine(message ?? String(error), 500)}`);
  }

  #tell(text: string): void {
    this.events.push({ type: "status", text });
  }
}

const attached = "The project's files are attached as project.tar.gz.";
const handIn =
  "Hand in your changes as an artifact: one difference as `git diff` writes it (media type text/x-diff), or whole files, each a part with its path from the project's root on as its file name.";

function messageOf(prompt: string, files: Buffer | undefined): Message {
  const text = [prompt, ...(files === undefined ? [] : [attached]), handIn].join("\n");
  const about = { metadata: undefined, filename: "", mediaType: "" };
  const parts: Part[] = [{ ...about, content: { $case: "text", value: text }, mediaType: "text/plain" }];
  if (files !== undefined)
    parts.push({
      ...about,
      content: { $case: "raw", value: files },
      filename: "project.tar.gz",
      mediaType: "application/gzip",
    });
  // The role of who asks, by its number in the protocol.
  const role: Message["role"] = 1;
  const ids = { messageId: randomUUID(), contextId: "", taskId: "" };
  return { ...ids, role, parts, metadata: undefined, extensions: [], referenceTaskIds: [] };
}

function textOf(parts: readonly Part[] | undefined): string {
  const texts = (parts ?? []).flatMap(({ content }) => (content?.$case === "text" ? [content.value] : []));
  return texts.join(" ").trim();
}

function failed(code: string, message: string): AgentReport {
  return { is: "failed", code, message };
}
