import { isAbsolute, relative } from "node:path";
import type { SessionUpdate, ToolCall, ToolCallUpdate, ToolKind } from "@agentclientprotocol/sdk";
import { shortened } from "../../../platform/one-line.ts";
import type { AgentEvent } from "../driver.ts";
import { JoinedText } from "../joined-text.ts";

/** A tool call, merged from the updates so far. */
interface Call {
  readonly name: string;
  readonly title: string;
  readonly kind: ToolKind | undefined;
  readonly diffs: readonly string[];
  readonly locations: readonly string[];
}

const maxText = 4_000;
const maxCalls = 200;
const maxEntries = 100;
/** Of one tool call. A message has room for 170,000, and those of all open calls are kept. */
const maxPaths = 100;
const maxPathLength = 1_000;
const maxIdLength = 200;
/** How often a status is emitted while text streams in. */
const statusEveryMs = 5_000;

/** Turns an agent's updates into events: joins pieces of text into messages, and the updates of a tool call into one. */
export class UpdateReader {
  readonly #folder: string;
  readonly #emit: (event: AgentEvent) => void;
  readonly #calls = new Map<string, Call>();
  readonly #text: JoinedText;
  #costUsd = 0;
  #statusAtMs = -Infinity;

  constructor(folder: string, emit: (event: AgentEvent) => void) {
    this.#folder = folder;
    this.#emit = emit;
    this.#text = new JoinedText(emit, maxText);
  }

  /** Reads one update; ignores one that breaks the protocol. */
  read(params: unknown): void {
    try {
      this.#read((params as { update: SessionUpdate }).update);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** Emits the text so far as a message. */
  flush(): void {
    this.#text.end();
  }

  /** The title and tool name of a call, from its updates so far and this one. */
  describe(call: ToolCallUpdate): { readonly title: string; readonly tool: string } {
    const { title, name } = this.#merge(call);
    return { title, tool: name };
  }

  #read(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        if (update.content.type === "text") this.#addText(update.content.text);
        return;
      case "agent_thought_chunk":
        this.#emitStatus("thinking");
        return;
      case "tool_call":
      case "tool_call_update":
        this.flush();
        this.#readCall(update, update.sessionUpdate === "tool_call");
        return;
      case "plan":
        this.flush();
        this.#emit({
          type: "plan",
          entries: update.entries.slice(0, maxEntries).map(({ content }) => shorten(content)),
        });
        return;
      case "usage_update":
        this.#readCost(update.cost);
        return;
      case "notice":
        this.flush();
        this.#emit({ type: "status", text: shorten(update.title) });
        return;
      case "compaction_update":
        this.flush();
        this.#emit({ type: "status", text: "shortening what it remembers" });
        return;
      case "user_message_chunk":
      case "available_commands_update":
      case "current_mode_update":
      case "config_option_update":
      case "session_info_update":
      case "compaction_summary_chunk":
        return;
    }
  }

  #addText(text: string): void {
    this.#text.add(text);
    this.#emitStatus("writing");
  }

  #emitStatus(text: string): void {
    // It would stand in the middle of a line, and that the agent goes on is seen.
    if (this.#text.hasBegun) return;
    const nowMs = performance.now();
    if (nowMs - this.#statusAtMs < statusEveryMs) return;
    this.#statusAtMs = nowMs;
    this.#emit({ type: "status", text });
  }

  #readCall(update: ToolCall | ToolCallUpdate, isNew: boolean): void {
    const call = this.#merge(update);
    const isDone = update.status === "completed" || update.status === "failed";
    if (isNew) this.#emit({ type: "tool", name: call.name, detail: call.title, isDone: false });
    if (!isDone) {
      const id: unknown = update.toolCallId;
      const isShort = typeof id === "string" && id.length <= maxIdLength;
      if (isShort && (this.#calls.size < maxCalls || this.#calls.has(id))) this.#calls.set(id, call);
      return;
    }
    this.#calls.delete(update.toolCallId);
    this.#emit({ type: "tool", name: call.name, detail: call.title, isDone: true });
    if (update.status === "completed") this.#emitFiles(call);
  }

  #emitFiles({ kind, diffs, locations }: Call): void {
    for (const path of diffs) this.#emitFile(path, "written");
    if (diffs.length > 0) return;
    const change = changes[kind ?? "other"];
    if (change !== undefined) for (const path of locations) this.#emitFile(path, change);
  }

  #emitFile(path: string, change: "read" | "written" | "removed"): void {
    const inFolder = isAbsolute(path) ? relative(this.#folder, path) : path;
    if (inFolder !== "") this.#emit({ type: "file", path: shorten(inFolder, maxPathLength), change });
  }

  /** The agent reports the cost of the whole session so far. */
  #readCost(cost: { amount: number; currency: string } | null | undefined): void {
    if (cost?.currency !== "USD" || !(cost.amount > this.#costUsd)) return;
    const costUsd = cost.amount - this.#costUsd;
    this.#costUsd = cost.amount;
    this.#emit({ type: "usage", inputTokens: 0, outputTokens: 0, costUsd });
  }

  #merge(update: ToolCall | ToolCallUpdate): Call {
    const before = this.#calls.get(update.toolCallId);
    const kind = update.kind ?? before?.kind;
    const diffs = update.content?.filter((part) => part.type === "diff");
    return {
      name: shorten(update.name ?? before?.name ?? kind ?? "tool"),
      title: shorten(update.title ?? before?.title ?? ""),
      kind,
      diffs: diffs?.length ? pathsOf(diffs) : (before?.diffs ?? []),
      locations: update.locations ? pathsOf(update.locations) : (before?.locations ?? []),
    };
  }
}

const changes: Readonly<Record<ToolKind, "read" | "written" | "removed" | undefined>> = {
  read: "read",
  edit: "written",
  delete: "removed",
  move: "written",
  search: undefined,
  execute: undefined,
  think: undefined,
  fetch: undefined,
  switch_mode: undefined,
  other: undefined,
};

/** Longer than what is shown of them: the folder comes first in each, and is cut off later. */
function pathsOf(places: readonly { readonly path: string }[]): readonly string[] {
  return places.slice(0, maxPaths).map(({ path }) => shorten(path, 2 * maxPathLength));
}

/** Throws a TypeError for anything but a text: what the protocol says of a field, the agent need not keep to. */
function shorten(text: string, maxLength = maxText): string {
  if (typeof text !== "string") throw new TypeError("The agent sent something else than a text.");
  return shortened(text, maxLength);
}
