/**
 * The name of an entry, which leads nowhere but below the folder that it is unpacked in, on any system: other systems take a
 * backslash for a '/', and a letter with a colon for a disk. Names that become the same that way are told apart.
 */
export function safeName(path: string, taken: Set<string>): string {
  const parts = path
    .toWellFormed()
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .map((part) => part.replace(/[\\\p{Cc}]/gu, "_").replace(/^([a-zA-Z]):/, "$1_"))
    // A name that was hidden by what is replaced now.
    .map((part) => (/^\.{1,2}$/.test(part) ? part.replaceAll(".", "_") : part));
  const name = parts.join("/") || "_";
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}~${count}`;
  taken.add(free);
  return free;
}
