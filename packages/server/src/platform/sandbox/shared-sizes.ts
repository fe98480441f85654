import type { DiskPart } from "../disk-space.ts";

/** A folder that a run uses beside others. */
export interface SharedUse {
  /** What is in it, if that is known. */
  readonly known: DiskPart | undefined;
  /** The run is over, and left this; undefined where nobody has looked. */
  readonly leave: (left: DiskPart | undefined) => void;
}

/** So many folders; one that nobody has used for longest is measured again. */
const maxKnown = 1_000;

interface Users {
  count: number;
  /** One after another has been in it, and what each has measured holds something of the others. */
  areMixed: boolean;
}

/**
 * What is in folders that runs share, as the last run left it: to measure a large package cache takes a second, or half a
 * minute on a cold disk, for which a program would have to wait. Only what one run alone has left is known.
 */
export class SharedSizes {
  readonly #known = new Map<string, { readonly identity: string; readonly size: DiskPart }>();
  readonly #users = new Map<string, Users>();

  /** A run begins to use a folder. The identity tells it from another one that has come to its place. */
  enter(folder: string, identity: string | undefined): SharedUse {
    const last = this.#known.get(folder);
    this.#known.delete(folder);
    const users = this.#users.get(folder) ?? { count: 0, areMixed: false };
    users.areMixed ||= users.count > 0;
    users.count += 1;
    this.#users.set(folder, users);
    const leave = (left: DiskPart | undefined) => {
      users.count -= 1;
      if (users.count > 0) return;
      this.#users.delete(folder);
      if (users.areMixed || left === undefined || identity === undefined) return;
      this.#known.set(folder, { identity, size: left });
      if (this.#known.size > maxKnown) this.#known.delete(this.#known.keys().next().value!);
    };
    return { known: last?.identity === identity ? last?.size : undefined, leave };
  }
}
