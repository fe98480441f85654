/** A name as it may stand in folders, hosts and tags: small letters, digits and single hyphens. */
export function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const slug = plain
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 63)
    .replace(/^-+|-+$/g, "");
  return slug === "" ? "x" : slug;
}

/** The id of a task: the document's where it gives one, else made from its title. */
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
 * What names have in common that mean the same: `Login form`, `login-form` and `login_form`. Unlike a slug it keeps the
 * letters of every script, and its length.
 */
export function nameKey(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
  const key = plain.replace(/[^\p{L}\p{M}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  return key === "" ? name : key;
}
