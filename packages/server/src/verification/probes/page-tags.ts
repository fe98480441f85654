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
  return value === undefined ? [] : [value.replaceAll("&amp;", "&")];
}

const patterns = new Map<string, RegExp>();

function patternOf(name: string): RegExp {
  const known = patterns.get(name);
  if (known !== undefined) return known;
  const pattern = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i");
  patterns.set(name, pattern);
  return pattern;
}
