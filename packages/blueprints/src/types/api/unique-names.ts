/** Unique names that are safe in file names and URLs, in the order given. */
export function uniqueNames(names: readonly string[], fallback: string): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const word = name
      .normalize("NFKD")
      .toLowerCase()
      .replace(/\p{M}+/gu, "")
      .replace(/[^a-z0-9]+/g, "_")
      .replace(/^_+|_+$/g, "")
      .slice(0, 40);
    const wanted = word === "" ? fallback : word;
    let unique = wanted;
    for (let number = 2; taken.has(unique); number += 1) unique = `${wanted}_${number}`;
    taken.add(unique);
    return unique;
  });
}
