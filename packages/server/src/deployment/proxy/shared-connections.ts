import { maxOpenFiles } from "../../platform/process/index.ts";

/** A connection of a client takes another one to the program, and programs need files of their own. */
const shareOfFiles = 1 / 4;

/**
 * The connections of clients that all proxies of a process have together. Who takes too many would leave no open files to
 * the others: half of them is for whoever comes first, and of the other half each proxy has the same share.
 */
export class SharedConnections {
  readonly #half: number;
  readonly #members = new Set<Member>();

  constructor(max = maxOpenFiles() * shareOfFiles) {
    this.#half = max / 2;
  }

  join(): Member {
    const member = new Member((held) => this.#mayTake(held));
    this.#members.add(member);
    return member;
  }

  leave(member: Member): void {
    this.#members.delete(member);
  }

  #mayTake(held: number): boolean {
    const share = this.#half / this.#members.size;
    if (held < share) return true;
    let beyond = 0;
    for (const one of this.#members) beyond += Math.max(0, one.held - share);
    return beyond < this.#half;
  }
}

/** What one proxy has of them. */
class Member {
  readonly #mayTake: (held: number) => boolean;
  #held = 0;

  constructor(mayTake: (held: number) => boolean) {
    this.#mayTake = mayTake;
  }

  get held(): number {
    return this.#held;
  }

  /** Whether the proxy may have another one; it gives it back later. */
  take(): boolean {
    if (!this.#mayTake(this.#held)) return false;
    this.#held += 1;
    return true;
  }

  giveBack(): void {
    this.#held -= 1;
  }
}
