/** A licence as CycloneDX writes it: an identifier, an expression, or a name that is neither. */
export function licenseOf(text: string) {
  if (/^[A-Za-z0-9][\w.+-]*$/.test(text))
    return isKnownLike(text) ? { license: { id: text } } : { license: { name: text } };
  return /\b(?:AND|OR|WITH)\b/.test(text) && parse(text) !== undefined
    ? { expression: text }
    : { license: { name: text } };
}

/** CycloneDX takes as an identifier only what SPDX lists; others are names. */
function isKnownLike(text: string): boolean {
  return /^(?:MIT(?:-0)?|ISC|0BSD|BSD-[1-4]-Clause(?:-[\w-]+)?|Apache-[12]\.[01]|MPL-[12]\.[01]|[AL]?GPL-[123]\.[01](?:-only|-or-later|\+)?|CC0-1\.0|CC-BY(?:-SA)?-[34]\.0|Unlicense|Zlib|PSF-2\.0|Python-2\.0|BlueOak-1\.0\.0|Artistic-2\.0|EPL-[12]\.0|WTFPL|BSL-1\.0|Unicode-DFS-2016|Unicode-3\.0|EUPL-1\.2|AFL-[23]\.[01]|OFL-1\.1|UPL-1\.0|X11|MS-PL|CDDL-1\.0|ODC-By-1\.0)$/.test(
    text,
  );
}

/** Whether a list of allowed licences covers one: of `A OR B` one must be on it, of `A AND B` both. */
export function isAllowed(expression: string, allowed: readonly string[]): boolean {
  const names = new Set(allowed.map((one) => one.toLowerCase()));
  if (names.has(expression.trim().toLowerCase())) return true;
  const tree = parse(expression);
  return tree !== undefined && holds(tree, names);
}

type Tree = string | { readonly all: boolean; readonly parts: readonly Tree[] };

function holds(tree: Tree, names: ReadonlySet<string>): boolean {
  if (typeof tree === "string") return names.has(tree.toLowerCase());
  return tree.all ? tree.parts.every((one) => holds(one, names)) : tree.parts.some((one) => holds(one, names));
}

const maxLength = 5_000;

/** Reads an SPDX expression; AND binds closer than OR. Undefined if it is none. */
function parse(expression: string): Tree | undefined {
  if (expression.length > maxLength) return undefined;
  const tokens = expression.match(/\(|\)|[^\s()]+/g) ?? [];
  let at = 0;
  const either = (depth: number): Tree | undefined => {
    const parts: Tree[] = [];
    do {
      const part = both(depth);
      if (part === undefined) return undefined;
      parts.push(part);
    } while (/^or$/i.test(tokens[at] ?? "") && ++at > 0);
    return parts.length === 1 ? parts[0] : { all: false, parts };
  };
  const both = (depth: number): Tree | undefined => {
    const parts: Tree[] = [];
    do {
      const part = single(depth);
      if (part === undefined) return undefined;
      parts.push(part);
    } while (/^and$/i.test(tokens[at] ?? "") && ++at > 0);
    return parts.length === 1 ? parts[0] : { all: true, parts };
  };
  const single = (depth: number): Tree | undefined => {
    const token = tokens[at++];
    if (token === undefined || token === ")" || depth > 20 || /^(?:and|or|with)$/i.test(token)) return undefined;
    if (token === "(") {
      const inner = either(depth + 1);
      return tokens[at++] === ")" ? inner : undefined;
    }
    // An exception only adds rights.
    if (/^with$/i.test(tokens[at] ?? "")) at += 2;
    return token;
  };
  const tree = either(0);
  return at === tokens.length ? tree : undefined;
}
