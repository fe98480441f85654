import { isAbsolute, relative } from "node:path";
import type { SessionUpdate, ToolCall, ToolCallUpdate, ToolKind } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../driver.ts";

/** What is known of a tool call from its first message on. */
interface Call {
  readonly name: string;
  readonly title: string;
  readonly kind: ToolKind | undefined;
  readonly diffs: readonly string[];
  readonly places: readonly string[];
}

const maxText = 4_000;
const maxCalls = 1_000;
/** While text comes in small pieces, so often is it told that something comes. */
const statusEveryMs = 5_000;

/** Turns an agent's updates into events: pieces of text into messages, and the two ends of a tool call into one story. */
export class UpdateReader {
  readonly #folder: string;
  readonly #emit: (event: AgentEvent) => void;
  readonly #calls = new Map<string, Call>();
  #text = "";
  #costUsd = 0;
  #statusAtMs = -Infinity;

  constructor(folder: string, emit: (event: AgentEvent) => void) {
    this.#folder = folder;
    this.#emit = emit;
  }

  /** Reads one update; what is not as the protocol says is passed over. */
  read(params: unknown): void {
    try {
      this.#read((params as { update: SessionUpdate }).update);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** Says what has come of a message that nothing follows. */
  flush(): void {
    if (this.#text.trim() !== "") this.#emit({ type: "message", text: this.#text.trim() });
    this.#text = "";
  }

  /** What a tool call is called, from what was heard of it before and what is said now. */
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
        this.#tellStatus("thinking");
        return;
      case "tool_call":
      case "tool_call_update":
        this.flush();
        this.#readCall(update, update.sessionUpdate === "tool_call");
        return;
      case "plan":
        this.flush();
        this.#emit({ type: "plan", entries: update.entries.map(({ content }) => shorten(content)) });
        return;
      case "usage_update":
        this.#readCost(update.cost);
        return;
      case "notice":
        this.#emit({ type: "status", text: shorten(update.title) });
        return;
      case "compaction_update":
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
    this.#text += text;
    if (this.#text.length > maxText) this.flush();
    else this.#tellStatus("writing");
  }

  #tellStatus(text: string): void {
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
      if (this.#calls.size < maxCalls) this.#calls.set(update.toolCallId, call);
      return;
    }
    this.#calls.delete(update.toolCallId);
    this.#emit({ type: "tool", name: call.name, detail: call.title, isDone: true });
    if (update.status === "completed") this.#tellFiles(call);
  }

  #tellFiles({ kind, diffs, places }: Call): void {
    for (const path of diffs) this.#tellFile(path, "written");
    if (diffs.length > 0) return;
    const change = changes[kind ?? "other"];
    if (change !== undefined) for (const path of places) this.#tellFile(path, change);
  }

  #tellFile(path: string, change: "read" | "written" | "removed"): void {
    const inFolder = isAbsolute(path) ? relative(this.#folder, path) : path;
    if (inFolder !== "") this.#emit({ type: "file", path: shorten(inFolder), change });
  }

  /** Costs are told for the whole session so far. */
  #readCost(cost: { amount: number; currency: string } | null | undefined): void {
    if (cost?.currency !== "USD" || !(cost.amount > this.#costUsd)) return;
    const costUsd = cost.amount - this.#costUsd;
    this.#costUsd = cost.amount;
    this.#emit({ type: "usage", inputTokens: 0, outputTokens: 0, costUsd });
  }

  #merge(update: ToolCall | ToolCallUpdate): Call {
    const before = this.#calls.get(update.toolCallId);
    const kind = update.kind ?? before?.kind;
    const diffs = update.content?.flatMap((part) => (part.type === "diff" ? [part.path] : []));
    return {
      name: update.name ?? before?.name ?? kind ?? "tool",
      title: shorten(update.title ?? before?.title ?? ""),
      kind,
      diffs: diffs?.length ? diffs : (before?.diffs ?? []),
      places: update.locations?.map(({ path }) => path) ?? before?.places ?? [],
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

function shorten(text: string): string {
  return text.length <= maxText ? text : `${text.slice(0, maxText)}…`;
}
