/**
 * A name for an entry that stays below the folder it is unpacked in, on any system: others read a backslash as '/', and a
 * letter with a colon as a drive. Names that become equal get a number.
 */
export function safeName(path: string, taken: Set<string>): string {
  const parts = path
    .toWellFormed()
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .map((part) => part.replace(/[\\\p{Cc}]/gu, "_").replace(/^([a-zA-Z]):/, "$1_"))
    // Replacing characters may have produced `..` again.
    .map((part) => (/^\.{1,2}$/.test(part) ? part.replaceAll(".", "_") : part));
  const name = parts.join("/") || "_";
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}~${count}`;
  taken.add(free);
  return free;
}
