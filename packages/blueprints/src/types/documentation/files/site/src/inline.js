/** Text of a page, or of an attribute in double quotes. */
export function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

// Nothing reaches further than this many characters: a mark that is never closed must not be looked for to the end.
const marks = [
  [/^\\([\\`*_{}[\]()#+.!|<>~-])/, ([, character]) => escapeHtml(character)],
  [/^(`+)([\s\S]{0,2000}?[^`])\1(?!`)/, ([, , code]) => `<code>${escapeHtml(code.trim())}</code>`],
  [/^!\[([^\]]{0,2000})\]\(([^()\s]{1,2000})\)/, ([whole, text, target]) => imageHtml(whole, text, target)],
  [/^\[((?:[^[\]\\]|\\.){0,2000})\]\(([^()\s]{1,2000})\)/, ([, text, target]) => linkHtml(text, target)],
  [/^<(https?:\/\/[^\s<>]+)>/, ([, target]) => linkHtml(target, target)],
  [/^(\*\*|__)(?=\S)([\s\S]{0,2000}?\S)\1/, ([, , text]) => `<strong>${inlineHtml(text)}</strong>`],
  [/^\*(?=[^\s*])([\s\S]{0,2000}?[^\s*])\*(?!\*)/, ([, text]) => `<em>${inlineHtml(text)}</em>`],
  [/^_(?=[^\s_])([\s\S]{0,2000}?[^\s_])_(?!\w)/, ([, text]) => `<em>${inlineHtml(text)}</em>`],
  [/^(?: {2,}|\\)\n/, () => "<br>\n"],
  // A word at a time, so that a mark inside of one is none.
  [/^[\p{L}\p{N}]+_*/u, ([text]) => text],
];

/** What stands inside a block: emphasis, code, links, pictures. */
export function inlineHtml(text) {
  let html = "";
  let rest = text;
  while (rest !== "") {
    const [match, render] = findMark(rest);
    html += match === undefined ? escapeHtml(rest[0]) : render(match);
    rest = rest.slice(match === undefined ? 1 : match[0].length);
  }
  return html;
}

/** The words alone, for headings in lists and for the search. */
export function plainText(text) {
  return inlineHtml(text)
    .replace(/<[^>]*>/g, "")
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .replace(/\s+/g, " ")
    .trim();
}

function findMark(rest) {
  for (const [pattern, render] of marks) {
    const match = pattern.exec(rest);
    if (match !== null) return [match, render];
  }
  return [];
}

/** Addresses that could run something are shown as text. */
function isSafe(target) {
  return /^(?:https?:\/\/|mailto:|\/(?!\/)|#|\.{1,2}\/|[\w-]+[/.#?]|[\w-]+$)/i.test(target);
}

function linkHtml(text, target) {
  if (!isSafe(target)) return inlineText(text);
  const shown = text === target ? escapeHtml(text) : inlineText(text);
  return `<a href="${escapeHtml(target)}">${shown}</a>`;
}

function inlineText(text) {
  return inlineHtml(text).replace(/<\/?a\b[^>]*>/g, "");
}

function imageHtml(whole, text, target) {
  return isSafe(target) ? `<img src="${escapeHtml(target)}" alt="${escapeHtml(text)}">` : escapeHtml(whole);
}
