import { isGitsOwn } from "../gits-own-name.ts";
import { oneLine } from "../one-line.ts";

interface Where {
  /** Whether paths may be git's own: in data, not in sources. */
  readonly hasRepositories: boolean;
  readonly platform?: NodeJS.Platform;
}

/** Refuses a path of an archive that leaves its folder, or is git's own on the system where the folder may be used. */
export function requireInside(path: string, { hasRepositories, platform = process.platform }: Where): void {
  const parts = path.split(platform === "win32" ? /[/\\]/ : "/");
  const isElsewhere = path.startsWith("/") || (platform === "win32" && /^(?:\\|[a-z]:)/i.test(path));
  const isOutside = path === "" || isElsewhere || parts.includes("..") || path.includes("\0");
  if (isOutside || (!hasRepositories && parts.some(isGitsOwn)))
    throw new Error(`The archive's ${shown(path)} is not a path inside the folder.`);
}

/** A name of a stranger's may have millions of characters. */
export function shown(path: string): string {
  return `'${oneLine(path, 200)}'`;
}
