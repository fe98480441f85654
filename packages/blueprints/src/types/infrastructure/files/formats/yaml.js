const plain = /^[A-Za-z_/][\w./-]*$/;
const reserved = /^(?:true|false|yes|no|on|off|y|n|null)$/i;

/** The value as YAML in block style; texts are quoted wherever they could be read as something else. */
export function toYaml(value) {
  return `${block(value, "").replace(/^\n/, "")}\n`;
}

/** Several values as the documents of one stream. */
export function toYamlStream(values) {
  return values.map((value) => `---\n${toYaml(value)}`).join("");
}

function block(value, indent) {
  if (Array.isArray(value)) {
    if (value.length === 0) return " []";
    return value.map((member) => `\n${indent}-${inItem(member, `${indent}  `)}`).join("");
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    if (entries.length === 0) return " {}";
    return entries.map(([key, member]) => `\n${indent}${scalar(key)}:${block(member, deeper(member, indent))}`).join("");
  }
  return ` ${scalar(value)}`;
}

function deeper(member, indent) {
  return typeof member === "object" && member !== null ? `${indent}  ` : indent;
}

/** The first line of a map stands behind the dash. */
function inItem(member, indent) {
  const text = block(member, indent);
  return text.startsWith("\n") ? ` ${text.slice(1 + indent.length)}` : text;
}

function scalar(value) {
  if (typeof value !== "string") return String(value);
  if (plain.test(value) && !reserved.test(value)) return value;
  const code = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, code);
}

/** The documents of a stream, of the kind of YAML that is written here; what else is in it is an error with its line. */
export function parseYamlStream(text) {
  return text
    .split(/^---$/m)
    .filter((part) => part.trim() !== "")
    .map(parseYaml);
}

export function parseYaml(text) {
  const lines = text.split("\n").flatMap((line, index) => {
    const isEmpty = line.trim() === "" || line.trim().startsWith("#");
    return isEmpty ? [] : [{ indent: line.search(/\S/), text: line.trim(), number: index + 1 }];
  });
  const reader = { lines, at: 0 };
  const value = readBlock(reader, 0);
  if (reader.at < lines.length) throw new SyntaxError(`line ${lines[reader.at].number}: unexpected indentation`);
  return value;
}

function readBlock(reader, indent) {
  const first = reader.lines[reader.at];
  if (first === undefined) throw new SyntaxError("unexpected end of the file");
  return first.text === "-" || first.text.startsWith("- ") ? readList(reader, first.indent) : readMap(reader, Math.max(indent, first.indent));
}

function readList(reader, indent) {
  const list = [];
  for (let line = reader.lines[reader.at]; line?.indent === indent && line.text.startsWith("-"); line = reader.lines[reader.at]) {
    const rest = line.text.slice(1).trim();
    if (splitKey(rest) === undefined) {
      reader.at += 1;
      list.push(readScalar(rest, line.number));
      continue;
    }
    // A map whose first key stands behind the dash: read on as if it stood on a line of its own.
    reader.lines[reader.at] = { ...line, indent: indent + 2, text: rest };
    list.push(readMap(reader, indent + 2));
  }
  return list;
}

function readMap(reader, indent) {
  const map = {};
  for (let line = reader.lines[reader.at]; line?.indent === indent; line = reader.lines[reader.at]) {
    const entry = splitKey(line.text);
    if (entry === undefined) throw new SyntaxError(`line ${line.number}: neither a key nor an item`);
    const [key, rest] = entry;
    if (Object.hasOwn(map, key)) throw new SyntaxError(`line ${line.number}: ${key} is there twice`);
    reader.at += 1;
    const isNested = rest === "" && reader.lines[reader.at]?.indent > indent;
    const member = isNested ? readBlock(reader, indent + 1) : readScalar(rest, line.number);
    Object.defineProperty(map, key, { value: member, enumerable: true, configurable: true, writable: true });
  }
  return map;
}

/** The key and what follows it; nothing if the text is no entry of a map. */
function splitKey(text) {
  const match = /^("(?:[^"\\]|\\.)*"|[^\s"'#[{&*!|>%@`-][^:#]*?):(?:\s+(.*))?$/.exec(text);
  if (match === null) return undefined;
  return [match[1].startsWith('"') ? JSON.parse(match[1]) : match[1], match[2] ?? ""];
}

function readScalar(text, number) {
  if (text === "" || text === "null") return null;
  if (text === "[]") return [];
  if (text === "{}") return {};
  if (text === "true" || text === "false") return text === "true";
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError(`line ${number}: a text that does not end`);
  }
}
