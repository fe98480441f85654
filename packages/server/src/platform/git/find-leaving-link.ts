/** More than any system follows: beyond it is a circle, which leads nowhere. */
const maxLinks = 64;
/** For all links together: a tree made to keep us busy is refused. */
const maxSteps = 2_000_000;

/** A folder or link of the tree, as far as there are links below it. */
interface Place {
  readonly below: Map<string, Place>;
  target?: string;
}

/**
 * Finds a symbolic link of a tree that leads out of it: by an absolute target, by climbing above the root, or through other
 * links. Gives the first such path, or nothing. A link that leaves and comes back leaves.
 */
export function findLeavingLink(links: ReadonlyMap<string, string>): string | undefined {
  const root = placesOf(links);
  let stepsLeft = maxSteps;
  for (const path of links.keys()) {
    const { isOutside, steps } = follow(path, root, stepsLeft);
    stepsLeft -= steps;
    if (isOutside || stepsLeft <= 0) return path;
  }
  return undefined;
}

function follow(path: string, root: Place, stepsLeft: number): { isOutside: boolean; steps: number } {
  // Where we are, from below the root; undefined where no links are.
  const way: (Place | undefined)[] = [];
  // What is still to be walked, the next part last.
  const ahead = path.split("/").reverse();
  let followed = 0;
  let steps = 0;
  for (; ahead.length > 0 && followed <= maxLinks && steps < stepsLeft; steps += 1) {
    const part = ahead.pop()!;
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (way.length === 0) return { isOutside: true, steps };
      way.pop();
      continue;
    }
    const here = way.length === 0 ? root : way.at(-1);
    const next = here?.below.get(part);
    if (next?.target === undefined) {
      way.push(next);
      continue;
    }
    if (next.target.startsWith("/")) return { isOutside: true, steps };
    followed += 1;
    ahead.push(...next.target.split("/").reverse());
  }
  return { isOutside: false, steps };
}

function placesOf(links: ReadonlyMap<string, string>): Place {
  const root: Place = { below: new Map() };
  for (const [path, target] of links) {
    let place = root;
    for (const part of path.split("/")) {
      const next: Place = place.below.get(part) ?? { below: new Map() };
      place.below.set(part, next);
      place = next;
    }
    place.target = target;
  }
  return root;
}
