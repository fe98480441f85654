import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Message, Part, StreamResponse, Task, TaskStatus } from "@a2a-js/sdk";
import { messageOf } from "../../../platform/errors/index.ts";
import { type NetworkLimits, waitMs } from "../../../platform/network/index.ts";
import { oneLine } from "../../../platform/one-line.ts";
import type { AgentEvent, AgentHost, AgentReport, AgentRun, AgentWork } from "../driver.ts";
import { EventQueue } from "../event-queue.ts";
import { failed } from "../failed-report.ts";
import { reportDone } from "../take-breakdown.ts";
import { A2aError } from "./a2a-error.ts";
import { applyArtifacts } from "./apply-artifacts.ts";
import { type Connection, connect } from "./connect.ts";
import { packProject } from "./pack-project.ts";
import { readArtifacts } from "./read-artifacts.ts";

export interface A2aLimits {
  /** How often the run polls an agent that does not stream. */
  readonly pollMs: number;
  /** How long the request to cancel may take. */
  readonly cancelMs: number;
}

/** A remote agent, with the limits of its settings and of the project. */
export interface RemoteAgent {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  readonly network: NetworkLimits;
  readonly limits: A2aLimits;
}

/** The states in which the agent does nothing more by itself. */
const settledStates = ["COMPLETED", "FAILED", "CANCELED", "REJECTED", "INPUT_REQUIRED", "AUTH_REQUIRED"].map(
  (name) => `TASK_STATE_${name}`,
);
/** The states in which it goes on. */
const openStates = ["SUBMITTED", "WORKING"].map((name) => `TASK_STATE_${name}`);
/** How often it may be in a state that says neither, which older agents call `unknown`, before nobody waits any more. */
const maxUnknownStates = 10;
const taskNotFound = "TaskNotFoundError";

/** The run of a remote agent: one message, one task, and its artifacts as the result. */
export class A2aRun implements AgentRun {
  readonly events = new EventQueue();
  readonly result: Promise<AgentReport>;
  readonly #agent: RemoteAgent;
  readonly #work: AgentWork;
  readonly #host: AgentHost;
  readonly #stop = new AbortController();
  #connection: Connection | undefined;
  #taskId: string | undefined;
  #lastStatus = "";
  /** The request to cancel, while it is in flight. */
  #cancelling: Promise<unknown> | undefined;

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
      await this.#cancelling;
      this.events.close();
    }
  }

  async #ask(handle: string | undefined): Promise<AgentReport> {
    const { url, fetch } = this.#agent;
    this.#report("reading the agent's card");
    this.#connection = await this.#withRetries(() => connect(url, fetch, this.#stop.signal));
    this.#report(`talking to ${oneLine(this.#connection.card.name, 100)}`);
    const isKnown = handle !== undefined && (await this.#find(handle));
    if (isKnown) {
      await this.#save(handle);
      return this.#conclude(await this.#poll(handle));
    }
    const packed = await packProject(this.#host, this.#work.folder);
    if (packed !== undefined && "problem" in packed) return failed("too_large", packed.problem);
    const answer = await this.#send(taskMessage(this.#work.prompt, packed?.bytes));
    return "messageId" in answer ? this.#take([answer]) : this.#conclude(answer);
  }

  /** Sends the message and waits for its result; passes the updates of a streaming agent on as events. */
  async #send(message: Message): Promise<Message | Task> {
    const { client, isStreaming } = this.#connection!;
    const request = { tenant: "", message, configuration: undefined, metadata: undefined };
    const options = { signal: this.#stop.signal };
    if (!isStreaming) {
      const answer = await this.#withRetries(() => client.sendMessage(request, options), { isOnceOnly: true });
      if ("messageId" in answer) return answer;
      await this.#save(answer.id);
      return this.#poll(answer.id);
    }
    const answer = await this.#withRetries(() => this.#listen(client.sendMessageStream(request, options)), {
      isOnceOnly: true,
    });
    if (answer !== undefined) return answer;
    if (this.#taskId === undefined)
      throw new A2aError("agent_answer", "The agent's answer ended before it said anything.");
    return this.#poll(this.#taskId);
  }

  /** Reads the stream until it ends or breaks; returns the message of an agent that answers without a task. */
  async #listen(stream: AsyncIterable<StreamResponse>): Promise<Message | undefined> {
    try {
      for await (const { payload } of stream) {
        if (payload?.$case === "message") return payload.value;
        if (payload === undefined) continue;
        const taskId = payload.$case === "task" ? payload.value.id : payload.value.taskId;
        // Each would be saved, and the last one resumed: an agent that contradicts itself is asked about its first task.
        if (this.#taskId !== undefined && taskId !== "" && taskId !== this.#taskId) return undefined;
        await this.#save(taskId);
        await this.events.whenRoom();
        if (payload.$case === "artifactUpdate")
          this.#report(`made ${oneLine(payload.value.artifact?.name || "something", 100)}`);
        else if (this.#noteStatus(payload.value.status)) return undefined;
      }
    } catch (error) {
      // The result can still be polled.
      if (this.#taskId === undefined || this.#stop.signal.aborted) throw error;
    }
    return undefined;
  }

  async #find(taskId: string): Promise<boolean> {
    try {
      await this.#read(taskId);
      return true;
    } catch (error) {
      if ((error as Error).name !== taskNotFound) throw error;
      this.#report("the agent no longer has the task: starting a new one");
      return false;
    }
  }

  async #poll(taskId: string): Promise<Task> {
    for (let unknown = 0; ; ) {
      const task = await this.#read(taskId);
      if (this.#noteStatus(task.status)) return task;
      const isOpen = openStates.includes(this.#connection!.nameOf(task.status?.state));
      unknown = isOpen ? 0 : unknown + 1;
      if (unknown > maxUnknownStates)
        throw new A2aError("agent_answer", "The agent's task stays in a state that the protocol does not know.");
      await delay(this.#agent.limits.pollMs, undefined, { signal: this.#stop.signal });
    }
  }

  #read(id: string): Promise<Task> {
    const { client } = this.#connection!;
    return this.#withRetries(() => client.getTask({ tenant: "", id, historyLength: 0 }, { signal: this.#stop.signal }));
  }

  async #save(taskId: string): Promise<void> {
    if (this.#taskId === taskId || taskId === "") return;
    this.#taskId = taskId;
    await this.#host.saveHandle(taskId);
  }

  /** Reports a status that is new; returns whether the task is settled. */
  #noteStatus(status: TaskStatus | undefined): boolean {
    const name = this.#connection!.nameOf(status?.state);
    const text = textOf(status?.message?.parts) || name.replace("TASK_STATE_", "").toLowerCase().replaceAll("_", " ");
    if (text !== this.#lastStatus) this.#report(oneLine(text, 500));
    this.#lastStatus = text;
    return settledStates.includes(name);
  }

  async #conclude({ status, artifacts }: Task): Promise<AgentReport> {
    const reason = oneLine(textOf(status?.message?.parts), 1_000);
    const why = reason === "" ? "." : `: ${reason}`;
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
    const content = readArtifacts(artifacts);
    for (const text of content.texts) await this.#tell({ type: "message", text });
    for (const { path } of content.files) await this.#tell({ type: "file", path, change: "written" });
    const { signal } = this.#stop;
    return (await applyArtifacts(this.#host, this.#work.folder, content, signal)) ?? reportDone(this.#work);
  }

  /** Retries temporary errors, as often as the document allows. */
  async #withRetries<T>(work: () => Promise<T>, { isOnceOnly = false } = {}): Promise<T> {
    const { network } = this.#agent;
    const { signal } = this.#stop;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof A2aError) || !error.isTemporary || attempt >= network.maxAttempts) throw error;
        // An agent that received the message may be at work already.
        if (isOnceOnly && error.mayHaveArrived) throw error;
        this.#report(`${error.message} Trying again.`);
        await delay(waitMs(attempt, network, error.retryAfterMs), undefined, { signal });
      }
    }
  }

  #endTask(): void {
    if (this.#taskId === undefined || this.#connection === undefined) return;
    const signal = AbortSignal.timeout(this.#agent.limits.cancelMs);
    const request = { tenant: "", id: this.#taskId, metadata: undefined };
    this.#cancelling = this.#connection.client.cancelTask(request, { signal }).catch(() => undefined);
  }

  #explain(error: unknown): AgentReport {
    if (this.#stop.signal.aborted) return failed("agent_cancelled", "The agent was stopped before it was done.");
    const ours = findA2aError(error);
    if (ours !== undefined) return failed(ours.code, ours.message);
    // From reading something else than what the protocol says, in the words of JavaScript.
    if (error instanceof TypeError)
      return failed("agent_answer", "The agent's answer is not what the protocol says: a value is of another type.");
    return failed("agent_failed", `The agent answered with an error: ${oneLine(messageOf(error), 500)}`);
  }

  /** An answer may hold more than should wait for the reader. */
  async #tell(event: AgentEvent): Promise<void> {
    await this.events.whenRoom();
    this.events.push(event);
  }

  #report(text: string): void {
    this.events.push({ type: "status", text });
  }
}

/** The library wraps what reading an answer throws. */
function findA2aError(error: unknown): A2aError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof A2aError) return each;
  return undefined;
}

const attached = "The project's files are attached as project.tar.gz.";
const handIn =
  "Hand in your changes as an artifact: one difference as `git diff` writes it (media type text/x-diff), or whole files, each a part with its path from the project's root on as its file name.";

function taskMessage(prompt: string, files: Buffer | undefined): Message {
  const text = [prompt, ...(files === undefined ? [] : [attached]), handIn].join("\n");
  const empty = { metadata: undefined, filename: "", mediaType: "" };
  const parts: Part[] = [{ ...empty, content: { $case: "text", value: text }, mediaType: "text/plain" }];
  if (files !== undefined)
    parts.push({
      ...empty,
      content: { $case: "raw", value: files },
      filename: "project.tar.gz",
      mediaType: "application/gzip",
    });
  // The protocol's number for the role of the user.
  const role: Message["role"] = 1;
  const ids = { messageId: randomUUID(), contextId: "", taskId: "" };
  return { ...ids, role, parts, metadata: undefined, extensions: [], referenceTaskIds: [] };
}

function textOf(parts: readonly Part[] | undefined): string {
  const texts = (parts ?? []).flatMap(({ content }) => (content?.$case === "text" ? [content.value] : []));
  return texts.join(" ").trim();
}
