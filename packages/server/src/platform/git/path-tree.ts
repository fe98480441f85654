import { inTurns } from "../in-turns.ts";

interface Folder {
  readonly below: Map<string, Folder>;
  isListed?: true;
}

/**
 * A set of paths that knows at once what is below one of them. An agent may leave thousands of paths of two thousand
 * folders each: to look up every folder of each by its whole path would hold up the service for minutes.
 */
export class PathTree {
  readonly #root: Folder = { below: new Map() };

  static async of(paths: Iterable<string>): Promise<PathTree> {
    const tree = new PathTree();
    for await (const path of inTurns(paths)) tree.#add(path);
    return tree;
  }

  has(path: string): boolean {
    return this.#follow(path) === "listed";
  }

  /** Whether a path, or a folder that it is in, is one of these. */
  covers(path: string): boolean {
    return this.#follow(path) !== "other";
  }

  #add(path: string): void {
    let folder = this.#root;
    for (const part of path.split("/")) {
      const next: Folder = folder.below.get(part) ?? { below: new Map() };
      folder.below.set(part, next);
      folder = next;
    }
    folder.isListed = true;
  }

  /** From the top: most paths end where nothing listed lies below, or at the first folder that is listed. */
  #follow(path: string): "listed" | "below" | "other" {
    let folder = this.#root;
    for (let from = 0; ; ) {
      const end = path.indexOf("/", from);
      const next = folder.below.get(path.slice(from, end < 0 ? path.length : end));
      if (next === undefined) return "other";
      if (end < 0) return next.isListed ? "listed" : "other";
      if (next.isListed) return "below";
      folder = next;
      from = end + 1;
    }
  }
}
