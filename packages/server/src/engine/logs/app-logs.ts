import type { Masked } from "../../platform/secrets/index.ts";
import type { LogWriter, ProjectLogs } from "./log-writer.ts";

/** A writer has a maximum, and what is deployed runs for ever: it gets another one after this much. */
const maxBytes = 1024 * 1024;
/** Writers of software that has written nothing for longest are ended. */
const maxWriters = 500;

interface OpenWriter {
  readonly writer: LogWriter;
  bytes: number;
}

/** Writes the output of deployed software to the logs of the projects that it came from. */
export class AppLogs {
  readonly #logs: ProjectLogs;
  readonly #writers = new Map<string, OpenWriter>();

  constructor(logs: ProjectLogs) {
    this.#logs = logs;
  }

  write(projectId: string, source: string, text: Masked): void {
    const key = `${projectId} ${source}`;
    const open = this.#writers.get(key) ?? this.#open(projectId, source);
    // The last in the map is the one used last.
    this.#writers.delete(key);
    this.#writers.set(key, open);
    open.writer.write(text);
    open.bytes += text.length;
    if (open.bytes > maxBytes) this.#end(key);
    if (this.#writers.size > maxWriters) this.#end(this.#writers.keys().next().value!);
  }

  #open(projectId: string, source: string): OpenWriter {
    return { writer: this.#logs.open({ projectId, source, taskId: "", attempt: 0, agentId: "" }), bytes: 0 };
  }

  #end(key: string): void {
    this.#writers.get(key)?.writer.end();
    this.#writers.delete(key);
  }
}
