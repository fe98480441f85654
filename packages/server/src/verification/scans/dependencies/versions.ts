/** Compares two versions as package managers order them: numbers by number, and what comes before a release below it. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < Math.max(left.release.length, right.release.length); at += 1) {
    const difference = (left.release[at] ?? 0) - (right.release[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.suffix === right.suffix) return 0;
  const [leftRank, rightRank] = [rankOf(left.suffix), rankOf(right.suffix)];
  return leftRank - rightRank || compareSuffixes(left.suffix, right.suffix);
}

function partsOf(version: string): { release: number[]; suffix: string } {
  const [, numbers = "0", suffix = ""] = /^[v=\s]*(?:\d+!)?(\d+(?:\.\d+)*)(.*)$/s.exec(version.trim()) ?? [];
  return { release: numbers.split(".").map(Number), suffix: suffix.split("+", 1)[0] ?? "" };
}

/** `1.0rc1` and `1.0-beta` come before `1.0`, `1.0.post1` after it. */
function rankOf(suffix: string): number {
  if (suffix === "") return 1;
  return /^[._-]?post/.test(suffix) ? 2 : 0;
}

function compareSuffixes(a: string, b: string): number {
  const [left, right] = [a.match(/\d+|[a-z]+/gi) ?? [], b.match(/\d+|[a-z]+/gi) ?? []];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [one, other] = [left[at], right[at]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    const [first, second] = [Number(one), Number(other)];
    if (Number.isNaN(first) !== Number.isNaN(second)) return Number.isNaN(first) ? 1 : -1;
    const difference = Number.isNaN(first) ? (one < other ? -1 : one > other ? 1 : 0) : first - second;
    if (difference !== 0) return difference;
  }
  return 0;
}
