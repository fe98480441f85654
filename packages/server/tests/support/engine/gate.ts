import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { namesIn } from "../../../src/platform/git/names-in.ts";
import type { Service } from "../run-service.ts";
import { until } from "../until.ts";

/** Where a task's agents wait until the test lets them through; files, for it is between processes. */
export class Gate {
  readonly #folder: string;

  constructor(gates: string, projectId: string, taskId: string) {
    this.#folder = join(gates, `${projectId}.${taskId}`);
  }

  /** For the agent: says that it is there, and waits. */
  async pass(signal: AbortSignal): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await writeFile(join(this.#folder, String(process.pid)), "");
    while (!existsSync(join(this.#folder, "open"))) await delay(10, undefined, { signal });
  }

  async open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await writeFile(join(this.#folder, "open"), "");
  }

  /** The processes that have come to it. */
  async visitors(): Promise<number[]> {
    return (await namesIn(this.#folder)).filter((name) => name !== "open").map(Number);
  }

  /** Waits until an agent of one of the nodes is there, and gives the node. */
  reachedBy(...nodes: Service[]): Promise<Service> {
    return until(async () => {
      const visitors = await this.visitors();
      return nodes.find(({ child }) => visitors.includes(child.pid!));
    });
  }
}
