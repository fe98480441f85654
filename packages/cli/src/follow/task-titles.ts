import { type Client, listAll } from "@slipway/client";

/** The titles of a project's tasks. Events contain only task ids; an unknown id loads the list. */
export class TaskTitles {
  readonly #client: Client;
  readonly #projectId: string;
  #titles = new Map<string, string>();

  constructor(client: Client, projectId: string) {
    this.#client = client;
    this.#projectId = projectId;
  }

  readonly titleOf = (taskId: string): string => this.#titles.get(taskId) ?? taskId;

  async load(taskId: string, signal: AbortSignal): Promise<void> {
    if (this.#titles.has(taskId)) return;
    const params = { project_id: this.#projectId };
    const tasks = listAll(
      (query) => this.#client.call("listTasks", { params, query, signal }),
      (page) => page.tasks,
    );
    try {
      for await (const { task_id, title } of tasks) this.#titles.set(task_id, title);
    } catch {
      // The id is good enough; the event stream reports what is wrong with the service.
      signal.throwIfAborted();
    }
    // Load only once, even if it failed.
    if (!this.#titles.has(taskId)) this.#titles.set(taskId, taskId);
  }
}
