import { type Client, listAll } from "@slipway/client";

/** The titles of a project's tasks. Events name tasks by their ids; the list is read when one comes that is not known. */
export class TaskTitles {
  readonly #client: Client;
  readonly #projectId: string;
  #titles = new Map<string, string>();

  constructor(client: Client, projectId: string) {
    this.#client = client;
    this.#projectId = projectId;
  }

  readonly titleOf = (taskId: string): string => this.#titles.get(taskId) ?? taskId;

  async know(taskId: string, signal: AbortSignal): Promise<void> {
    if (this.#titles.has(taskId)) return;
    const params = { project_id: this.#projectId };
    const tasks = listAll(
      (query) => this.#client.call("listTasks", { params, query, signal }),
      (page) => page.tasks,
    );
    try {
      for await (const { task_id, title } of tasks) this.#titles.set(task_id, title);
    } catch {
      // The id will do, and what is wrong with the service is told by who follows it.
      signal.throwIfAborted();
    }
    // Asked for once, whatever came of it.
    if (!this.#titles.has(taskId)) this.#titles.set(taskId, taskId);
  }
}
