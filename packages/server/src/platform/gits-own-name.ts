const gitsOwn = /^(?:\.git|git~1)[. ]*(?::.*)?$/is;
const ignoredByMac = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Whether one system or another takes a name for `.git`: a repository's settings name programs, and its hooks are some. */
export function isGitsOwn(name: string): boolean {
  return gitsOwn.test(name.replace(ignoredByMac, ""));
}
