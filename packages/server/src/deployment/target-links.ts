import { TargetFailure } from "./supervisor/index.ts";
import type { SupervisorLink } from "./supervisor-link.ts";

/** How the service reaches each place where software is deployed, by the target's name. */
export class TargetLinks {
  readonly #links: ReadonlyMap<string, SupervisorLink>;

  constructor(links: ReadonlyMap<string, SupervisorLink>) {
    this.#links = links;
  }

  get all(): readonly SupervisorLink[] {
    return [...this.#links.values()];
  }

  /** Throws a TargetFailure if the operator no longer declares it. */
  of(target: string): SupervisorLink {
    const link = this.#links.get(target);
    if (link !== undefined) return link;
    throw new TargetFailure(`The target '${target}' is not declared in the config file of this node.`);
  }
}
