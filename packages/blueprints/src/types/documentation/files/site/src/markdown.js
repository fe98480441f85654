import { escapeHtml, inlineHtml, plainText } from "./inline.js";

/**
 * Renders Markdown: headings, paragraphs, lists, quotes, tables, code. HTML in the text is shown, never passed on.
 * The page has its own first heading, so that those of the text start at the second level.
 */
export function renderMarkdown(text) {
  const headings = [];
  const anchors = new Map();
  const addHeading = (level, title) => {
    const id = anchorFor(title, anchors);
    headings.push({ level, id, title });
    return id;
  };
  const html = renderBlocks(text.replace(/\r\n?/g, "\n").split("\n"), { addHeading, depth: 0 });
  return { html, headings, addHeading };
}

/** The name of a heading in an address; the second of the same name has a number. */
function anchorFor(title, anchors) {
  const words = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const name = words.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "section";
  const count = (anchors.get(name) ?? 0) + 1;
  anchors.set(name, count);
  return count === 1 ? name : `${name}-${count}`;
}

function renderBlocks(lines, context) {
  const parts = [];
  const rest = [...lines];
  while (rest.length > 0) {
    if (rest[0].trim() === "") rest.shift();
    else parts.push(takeBlock(rest, context));
  }
  return parts.join("\n");
}

function takeBlock(rest, context) {
  const line = rest[0];
  const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
  if (heading !== null) {
    rest.shift();
    const level = Math.max(2, heading[1].length);
    return headingHtml(level, inlineHtml(heading[2]), context.addHeading(level, plainText(heading[2])));
  }
  if (/^(```|~~~)/.test(line)) return takeCode(rest);
  if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) {
    rest.shift();
    return "<hr>";
  }
  const isDeep = context.depth >= deepest;
  if (line.startsWith(">") && !isDeep) return takeQuote(rest, inside(context));
  if (listItem.test(line) && !isDeep) return takeList(rest, inside(context));
  if (line.includes("|") && isTableRule(rest[1])) return takeTable(rest);
  return takeParagraph(rest);
}

/** Quotes and lists stand inside of each other up to here. */
const deepest = 12;

function inside({ addHeading, depth }) {
  return { addHeading, depth: depth + 1 };
}

/** A heading with a link to itself. */
export function headingHtml(level, html, id) {
  const link = `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
  return `<h${level} id="${id}">${html} ${link}</h${level}>`;
}

function takeCode(rest) {
  const fence = rest.shift();
  const mark = fence.slice(0, 3);
  const language = /^[\w-]+/.exec(fence.slice(3).trim())?.[0];
  const code = takeWhile(rest, (line) => !line.startsWith(mark));
  rest.shift();
  return codeHtml(code.join("\n"), language);
}

/** A code sample. */
export function codeHtml(code, language) {
  const name = /^[\w-]+$/.test(language ?? "") ? ` class="language-${language}"` : "";
  return `<pre tabindex="0"><code${name}>${escapeHtml(code)}</code></pre>`;
}

function takeQuote(rest, context) {
  const lines = takeWhile(rest, (line) => line.startsWith(">")).map((line) => line.replace(/^> ?/, ""));
  return `<blockquote>\n${renderBlocks(lines, context)}\n</blockquote>`;
}

const listItem = /^( {0,3})([-*+]|\d{1,9}[.)])\s+(.*)$/;

function takeList(rest, context) {
  const isOrdered = /\d/.test(listItem.exec(rest[0])[2]);
  const start = isOrdered ? Number.parseInt(listItem.exec(rest[0])[2], 10) : 1;
  const items = [];
  while (rest.length > 0 && listItem.test(rest[0])) {
    const [, , mark, words] = listItem.exec(rest[0]);
    if (/\d/.test(mark) !== isOrdered) break;
    rest.shift();
    // What is indented belongs to the item; an empty line before it does, too.
    const below = takeWhile(rest, (line, next) => /^ {2,}\S/.test(line) || (line.trim() === "" && /^ {2,}\S/.test(next)));
    items.push([words, ...below.map((line) => line.replace(/^ {2,4}/, ""))]);
    while (rest[0]?.trim() === "" && listItem.test(rest[1] ?? "")) rest.shift();
  }
  const tag = isOrdered ? "ol" : "ul";
  const shown = items.map((lines) => `<li>${itemHtml(lines, context)}</li>`).join("\n");
  return `<${tag}${start === 1 ? "" : ` start="${start}"`}>\n${shown}\n</${tag}>`;
}

/** An item of one paragraph needs no paragraph around it. */
function itemHtml(lines, context) {
  const html = renderBlocks(lines, context);
  return html.replace(/^<p>([\s\S]*?)<\/p>/, "$1");
}

function isTableRule(line) {
  return line !== undefined && line.includes("-") && /^\s*\|?(\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$/.test(line);
}

function takeTable(rest) {
  const head = cellsOf(rest.shift());
  rest.shift();
  const rows = takeWhile(rest, (line) => line.includes("|") && line.trim() !== "").map(cellsOf);
  return tableHtml(
    head.map(inlineHtml),
    rows.map((row) => head.map((_, index) => inlineHtml(row[index] ?? ""))),
    "Table",
  );
}

/** A table of cells that are HTML already. It can be scrolled by keyboard where it is too wide. */
export function tableHtml(head, rows, label) {
  const headHtml = head.map((cell) => `<th scope="col">${cell}</th>`).join("");
  const rowHtml = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`);
  const parts = [`<thead><tr>${headHtml}</tr></thead>`, `<tbody>\n${rowHtml.join("\n")}\n</tbody>`];
  return `<div class="table" tabindex="0" role="region" aria-label="${label}">\n<table>\n${parts.join("\n")}\n</table>\n</div>`;
}

/** The cells of a row: a bar after a backslash, or inside code, ends none. */
function cellsOf(line) {
  const row = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  const cells = row.match(/(?:\\.|`[^`]*`|[^|\\])+|(?<=\|)(?=\|)/g) ?? [];
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function takeParagraph(rest) {
  const isNext = (line) => line.trim() !== "" && !/^(#{1,6}\s|```|~~~|>)/.test(line) && !listItem.test(line);
  const lines = [rest.shift(), ...takeWhile(rest, isNext)];
  return `<p>${inlineHtml(lines.map((line) => line.trimStart()).join("\n"))}</p>`;
}

function takeWhile(rest, isWanted) {
  const taken = [];
  while (rest.length > 0 && isWanted(rest[0], rest[1] ?? "")) taken.push(rest.shift());
  return taken;
}
