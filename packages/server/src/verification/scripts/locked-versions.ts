type Json = Record<string, unknown>;

/** At most so many of a package: one that differs is enough to know. */
const maxVersions = 100;

/** The versions that a package-lock.json holds of each package; none where it is something else. */
export function lockedVersions(bytes: Uint8Array, names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const wanted = new Map(names.map((name) => [name, new Set<string>()]));
  for (const [path, about] of Object.entries(packagesIn(bytes))) {
    const at = path.lastIndexOf("node_modules/");
    if (at > 0 && path[at - 1] !== "/") continue;
    const found = at < 0 ? undefined : wanted.get(path.slice(at + "node_modules/".length));
    if (found !== undefined && found.size < maxVersions) found.add(textOf(asObject(about)["version"]));
  }
  return new Map([...wanted].map(([name, versions]) => [name, [...versions]]));
}

function packagesIn(bytes: Uint8Array): Json {
  try {
    return asObject(asObject(JSON.parse(new TextDecoder().decode(bytes)))["packages"]);
  } catch {
    return {};
  }
}

function textOf(version: unknown): string {
  return typeof version === "string" ? version.slice(0, 200) : "no version";
}

function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
