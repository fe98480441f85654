const maxTagChars = 2_000;
const maxTags = 20_000;

export interface PageTags {
  readonly tags: readonly string[];
  /** False if there are more tags, or longer ones, than are read. */
  readonly isWhole: boolean;
}

/**
 * The tags of a page, as they are written up to their end; what scripts and comments contain is left out. Finds them by
 * hand: a pattern could take very long for a page made for that.
 */
export function tagsOf(page: string): PageTags {
  const tags: string[] = [];
  let isWhole = true;
  for (let at = page.indexOf("<"); at !== -1 && tags.length < maxTags; ) {
    const isComment = page.startsWith("<!--", at);
    const end = page.indexOf(isComment ? "-->" : ">", at);
    if (end === -1) break;
    const tag = isComment ? "" : page.slice(at, Math.min(end, at + maxTagChars));
    if (!isComment) tags.push(tag);
    if (!isComment && end - at > maxTagChars) isWhole = false;
    const closing = /^<(script|style)[\s>]|^<(script|style)$/i.exec(tag);
    const next = closing === null ? end : indexOfClosing(page, (closing[1] ?? closing[2])!, end);
    at = next === -1 ? -1 : page.indexOf("<", next + (closing === null ? 1 : 0));
  }
  return { tags, isWhole: isWhole && tags.length < maxTags };
}

function indexOfClosing(page: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, "gi");
  closing.lastIndex = from;
  return closing.exec(page)?.index ?? -1;
}

/** The value of an attribute in a tag; an empty list if it has none. */
export function attribute(tag: string, name: string): readonly string[] {
  const pattern = patternOf(name);
  const [, double, single, bare] = pattern.exec(tag) ?? [];
  const value = double ?? single ?? bare;
  return value === undefined ? [] : [value.replaceAll(reference, decoded)];
}

/** A character that templates write by its number or its name, such as `&#x2F;`. */
const reference = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi;
const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decoded(whole: string, hexadecimal?: string, decimal?: string, name?: string): string {
  if (name !== undefined) return named[name.toLowerCase()]!;
  const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code).toWellFormed() : whole;
}

const patterns = new Map<string, RegExp>();

function patternOf(name: string): RegExp {
  const known = patterns.get(name);
  if (known !== undefined) return known;
  const pattern = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i");
  patterns.set(name, pattern);
  return pattern;
}
