import { isGitsOwn } from "../gits-own-name.ts";
import { inTurns } from "../in-turns.ts";

/** More than any system follows: a longer chain is a cycle, which leads nowhere. */
const maxLinks = 64;
/** For all links together, against trees made to exhaust the service. */
const maxSteps = 2_000_000;
/** A name in a link's target may have thousands of characters: so many of them are one more step. */
const charactersAStep = 64;

/** A folder that contains links, or a link. */
interface Place {
  readonly below: Map<string, Place>;
  target?: string;
}

/**
 * Finds the symbolic links of a tree that lead out of it: by an absolute target, by climbing above the root, or through other
 * links. So does one to `.git`, which is no part of the tree: who keeps the files in a repository of their own has one, with
 * settings in it that name programs. A link that leaves and comes back counts as leaving, and so does one too many to follow.
 * In turns, for a tree may have tens of thousands of links, each through many others.
 */
export async function* leavingLinks(links: ReadonlyMap<string, string>): AsyncGenerator<string> {
  const { root, steps: taken } = await placesOf(links);
  let stepsLeft = maxSteps - taken;
  for await (const path of inTurns(links.keys())) {
    const { isOutside, steps } = follow(path, root, Math.max(0, stepsLeft));
    stepsLeft -= steps;
    if (isOutside || stepsLeft <= 0) yield path;
  }
}

/** The first link that leads out of a tree, or undefined. */
export async function findLeavingLink(links: ReadonlyMap<string, string>): Promise<string | undefined> {
  for await (const path of leavingLinks(links)) return path;
  return undefined;
}

function follow(path: string, root: Place, stepsLeft: number): { isOutside: boolean; steps: number } {
  // The present folder, from the root down; undefined in folders without links.
  const way: (Place | undefined)[] = [];
  // The parts still to walk, the next one last.
  const ahead = path.split("/").reverse();
  let followed = 0;
  let steps = 0;
  for (; ahead.length > 0 && followed <= maxLinks && steps < stepsLeft; steps += 1) {
    const part = ahead.pop()!;
    steps += Math.floor(part.length / charactersAStep);
    if (part === "" || part === ".") continue;
    if (isGitsOwn(part)) return { isOutside: true, steps };
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

async function placesOf(links: ReadonlyMap<string, string>): Promise<{ root: Place; steps: number }> {
  const root: Place = { below: new Map() };
  let steps = 0;
  for await (const [path, target] of inTurns(links)) {
    let place = root;
    const parts = path.split("/");
    steps += parts.length;
    if (steps > maxSteps) break;
    for (const part of parts) {
      const next: Place = place.below.get(part) ?? { below: new Map() };
      place.below.set(part, next);
      place = next;
    }
    place.target = target;
  }
  return { root, steps };
}
