import { compilePattern, Unmatchable } from "@slipway/blueprints";

/** Whether a path is meant. */
export type Glob = (path: string) => boolean;

const maxChars = 1_000;
const maxDepth = 20;
/** Of matching one path: many times what a usual glob takes. */
const maxSteps = 50_000;

/** What matching may still take, for all paths together; several globs may share it. */
export interface GlobSteps {
  left: number;
}

/** One or two minutes, or twenty usual globs and fifty thousand paths. */
export function newGlobSteps(): GlobSteps {
  return { left: 500_000_000 };
}

/**
 * Compiles a glob that a stranger wrote: `*`, `?`, `[a-z]`, `**`, `{a,b}`, `@(a|b)`, `?(a)`, `*(a)` and `+(a)`. Names that
 * begin with a dot are meant only where it is written. It is matched in steps that grow with the path alone: what Node has
 * for this goes back and forth, for hours if a glob was made for that. Where the steps are used up, it means nothing more.
 * Undefined if nobody here can match it.
 */
export function compileGlob(glob: string, steps = newGlobSteps()): Glob | undefined {
  if (glob.length > maxChars) return undefined;
  return unlessUnmatchable(() => {
    const matches = compilePattern(`^${patternOf(withoutOwnFolder(glob))}$`);
    return (path) => unlessUnmatchable(() => matches(markDots(path), limitOf(steps))) ?? false;
  });
}

function unlessUnmatchable<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof Unmatchable) return undefined;
    throw error;
  }
}

function limitOf(steps: GlobSteps): () => void {
  const end = steps.left - maxSteps;
  return () => {
    steps.left -= 1;
    if (steps.left < Math.max(0, end)) throw new Unmatchable("the path takes too long to match");
  };
}

/** `./` means the folder that one is in. */
function withoutOwnFolder(glob: string): string {
  return glob
    .split(/\/(?:\.\/)+/)
    .join("/")
    .replace(/^(?:\.\/)+/, "");
}

/** A piece of a glob, and where the next one begins. */
interface Piece {
  readonly pattern: string;
  readonly end: number;
}

/** Stands before each dot that begins a name, where no sign but a written dot reaches it. No path has it. */
const dotMark = "\u0000";
const any = `[^/${dotMark}]`;
const folder = `${any}${any}*`;

function markDots(path: string): string {
  return path.replaceAll(/(^|\/)\./g, `$1${dotMark}.`);
}

function patternOf(glob: string, isNameBegun = false, depth = 0): string {
  if (depth > maxDepth) throw new Unmatchable("the glob is nested too deeply");
  let pattern = "";
  let isBegun = isNameBegun;
  for (let at = 0; at < glob.length; ) {
    const piece = folders(glob, at, isBegun) ?? choice(glob, at, isBegun, depth) ?? sign(glob, at, isBegun);
    pattern += piece.pattern;
    isBegun = glob[piece.end - 1] !== "/";
    at = piece.end;
  }
  return pattern;
}

/** Two stars that are a whole name stand for any number of folders; at the end, for all that is inside. */
function folders(glob: string, at: number, isBegun: boolean): Piece | undefined {
  if (isBegun || !/^\*\*(?:\/|$)/.test(glob.slice(at, at + 3))) return undefined;
  let end = at + 2;
  // Said twice, it means the same.
  while (glob.startsWith("/**/", end)) end += 3;
  if (glob.slice(end) === "/**") end += 3;
  if (end === glob.length) return { pattern: `${folder}(?:/${folder})*`, end };
  return { pattern: `(?:${folder}/)*`, end: end + 1 };
}

const times: Readonly<Record<string, string>> = { "@": "", "?": "?", "*": "*", "+": "+" };

/** `{a,b}`, or `@(a|b)` and the like. */
function choice(glob: string, at: number, isBegun: boolean, depth: number): Piece | undefined {
  const isBraces = glob[at] === "{";
  if (!isBraces && glob[at + 1] !== "(") return undefined;
  if (glob[at] === "!") throw new Unmatchable("the glob says what is not meant");
  const repeated = isBraces ? "" : times[glob[at]!];
  if (repeated === undefined) return undefined;
  const inside = splitChoice(glob, at + (isBraces ? 1 : 2), isBraces ? "{,}" : "(|)");
  if (inside === undefined || (isBraces && inside.parts.length < 2)) return undefined;
  const parts = inside.parts.map((part) => patternOf(part, isBegun, depth + 1));
  return { pattern: `(?:${parts.join("|")})${repeated}`, end: inside.end };
}

function splitChoice(
  glob: string,
  from: number,
  [open, between, close]: string,
): { parts: string[]; end: number } | undefined {
  const parts = [""];
  for (let [at, depth] = [from, 0]; at < glob.length; at += 1) {
    const sign = glob[at]!;
    if (sign === close && depth === 0) return { parts, end: at + 1 };
    if (sign === between && depth === 0) {
      parts.push("");
      continue;
    }
    depth += sign === open ? 1 : sign === close ? -1 : 0;
    parts[parts.length - 1] += sign;
    // What follows is meant as it is.
    if (sign === "\\") {
      at += 1;
      parts[parts.length - 1] += glob[at] ?? "";
    }
  }
  return undefined;
}

/** One sign, or a set of them in brackets. */
function sign(glob: string, at: number, isBegun: boolean): Piece {
  switch (glob[at]) {
    case "*": {
      let end = at + 1;
      while (glob[end] === "*") end += 1;
      const isNeeded = !isBegun && [".", "/", undefined].includes(glob[end]);
      return { pattern: isBegun ? `${any}*` : isNeeded ? folder : `(?:${folder})?`, end };
    }
    case "?":
      return { pattern: any, end: at + 1 };
    case "\\":
      return { pattern: written(glob[at + 1] ?? "\\", isBegun), end: at + 2 };
    case "[":
      return setOf(glob, at) ?? { pattern: "\\[", end: at + 1 };
    default: {
      const text = String.fromCodePoint(glob.codePointAt(at)!);
      return { pattern: written(text, isBegun), end: at + text.length };
    }
  }
}

function setOf(glob: string, at: number): Piece | undefined {
  const [whole, not, inside = ""] = /^\[([!^]?)(\]?[^\]/]*)\]/.exec(glob.slice(at)) ?? [];
  if (whole === undefined || inside === "") return undefined;
  const plain = inside.replaceAll(/[\\\][^]/g, "\\$&").replaceAll(/^-|-$/g, "\\-");
  // The slash is never meant.
  const pattern = not === "" ? `[${plain}]` : `[^/${dotMark}${plain}]`;
  try {
    new RegExp(pattern, "u");
  } catch {
    throw new Unmatchable("the glob has a set of characters that nobody can read");
  }
  return { pattern, end: at + whole.length };
}

function written(text: string, isBegun: boolean): string {
  const mark = text === "." && !isBegun ? dotMark : "";
  return mark + text.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
}
