/** A name that is valid in folders, hosts and tags: lowercase letters, digits and single hyphens. */
export function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const slug = plain
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replace(/^-+|-+$/g, "");
  return slug === "" ? "x" : slug;
}

/** The id of a task: the document's own, else one made from its title. */
export function taskIdOf({
  id,
  title,
}: {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
}): string | undefined {
  return id ?? (title === undefined ? undefined : slugOf(title));
}

/**
 * A key that is the same for `Login form`, `login-form` and `login_form`. Unlike a slug it keeps letters of every
 * script, and its length.
 */
export function nameKey(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
  const key = plain.replace(/[^\p{L}\p{M}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  return key === "" ? name : key;
}
