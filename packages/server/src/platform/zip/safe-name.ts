/**
 * A name for an entry that stays below the folder it is unpacked in, on any system: others read a backslash as '/', and a
 * letter with a colon as a drive. Names that become equal get a number: `taken` holds the last one of each name, because a
 * project may have 200,000 names that become one.
 */
export function safeName(path: string, taken: Map<string, number>): string {
  const parts = path
    .toWellFormed()
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .map((part) => part.replace(/[\\\p{Cc}]/gu, "_").replace(/^([a-zA-Z]):/, "$1_"))
    // Replacing characters may have produced `..` again.
    .map((part) => (/^\.{1,2}$/.test(part) ? part.replaceAll(".", "_") : part));
  const name = parts.join("/") || "_";
  let free = name;
  let number = taken.get(name) ?? 1;
  for (; taken.has(free); free = `${name}~${number}`) number += 1;
  taken.set(name, number).set(free, taken.get(free) ?? 1);
  return free;
}
