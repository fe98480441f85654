/** A unique DNS name for each name; the same list always gives the same names. */
export function dnsNames(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const found = new Map<string, string>();
  for (const name of names) {
    const plain = name
      .toLowerCase()
      .replace(/[^a-z\d]+/g, "-")
      .replace(/^[\d-]+|-$/g, "");
    const base = (plain === "" ? "app" : plain).slice(0, 40).replace(/-$/, "");
    let unique = base;
    for (let number = 2; taken.has(unique); number += 1) unique = `${base}-${number}`;
    taken.add(unique);
    found.set(name, unique);
  }
  return found;
}
