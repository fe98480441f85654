import type { Database } from "../../platform/database/index.ts";
import type { Run } from "./draft.ts";
import { PlanIndex } from "./plan.ts";
import { type PlanContent, type PlanKey, selectPlans } from "./store.ts";

/** About as many tasks as fit into a few megabytes. */
const maxTasks = 50_000;

/** Plans that were read lately: a plan never changes, and each step of its run needs it. */
export class PlanCache {
  /** The one used longest ago comes first. */
  readonly #runs = new Map<string, Run>();
  #tasks = 0;

  /** The plans of these runs, read where they are not known. */
  async find(db: Database, keys: readonly PlanKey[]): Promise<Map<string, Run>> {
    const found = new Map<string, Run>();
    const missing: PlanKey[] = [];
    for (const key of keys) {
      const known = this.#runs.get(nameOf(key));
      if (known === undefined) missing.push(key);
      else {
        this.add(key, known);
        found.set(key.projectId, known);
      }
    }
    if (missing.length > 0) {
      for (const { content, ...key } of await selectPlans(db, missing)) {
        const run = runOf(key.projectId, content);
        this.add(key, run);
        found.set(key.projectId, run);
      }
    }
    return found;
  }

  add(key: PlanKey, run: Run): void {
    const name = nameOf(key);
    if (this.#runs.delete(name)) this.#tasks -= weightOf(run);
    this.#runs.set(name, run);
    this.#tasks += weightOf(run);
    for (const [oldest, other] of this.#runs) {
      if (this.#tasks <= maxTasks || oldest === name) break;
      this.#runs.delete(oldest);
      this.#tasks -= weightOf(other);
    }
  }
}

export function runOf(projectId: string, { plan, rules }: PlanContent): Run {
  return { projectId, plan: new PlanIndex(plan), rules };
}

function nameOf({ projectId, version }: PlanKey): string {
  return `${projectId}/${version}`;
}

function weightOf({ plan }: Run): number {
  return plan.plan.tasks.length + 10;
}
