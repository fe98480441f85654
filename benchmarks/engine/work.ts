/** The work that everybody does: projects of phases one after the other, each of tasks side by side that do nothing. */
export const phases = 5;
export const tasksPerPhase = 3;
export const tasksPerProject = phases * tasksPerPhase;

/** Called by each task, while it is carried out. */
export type Ran = (projectId: string, phase: number, task: number) => void;

/** Somebody who can do the work. */
interface Contestant {
  /** Submits the projects at once; resolves when the last one's end is durable. */
  run(projectIds: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** What contestants are given: each uses what it needs. */
export interface Place {
  /** A database of its own. */
  readonly postgres: { readonly host: string; readonly port: number; readonly user: string; readonly database: string };
  readonly redis: { readonly socket: string } | undefined;
  readonly restate: { readonly ingress: string; readonly admin: string } | undefined;
}

export type Start = (place: Place, ran: Ran) => Promise<Contestant>;

/** Counts what was carried out, and notices what was out of order. */
export class Tally {
  readonly #done = new Map<string, number[]>();

  readonly ran: Ran = (projectId, phase, task) => {
    const done = this.#done.get(projectId) ?? Array.from({ length: phases }, () => 0);
    this.#done.set(projectId, done);
    if (phase > 0 && done[phase - 1] !== allTasks) throw new Error(`Phase ${phase} of ${projectId} began too early.`);
    if ((done[phase]! & (1 << task)) !== 0)
      throw new Error(`Task ${task} of phase ${phase} of ${projectId} ran twice.`);
    done[phase]! |= 1 << task;
  };

  /** Refuses unless every task of these projects, and nothing else, ran. */
  check(projectIds: readonly string[]): void {
    for (const id of projectIds) {
      const isWhole = this.#done.get(id)?.every((tasks) => tasks === allTasks) ?? false;
      if (!isWhole) throw new Error(`The project ${id} is not done.`);
    }
    if (this.#done.size !== projectIds.length) throw new Error("There were more projects than asked for.");
    this.#done.clear();
  }
}

/** One bit for each. */
const allTasks = (1 << tasksPerPhase) - 1;
