/** An expression that is written as it stands, such as `aws_vpc.main.id`. */
export class Reference {
  constructor(text) {
    this.text = text;
  }
}

/**
 * Blocks as HCL, the language of Terraform files.
 *
 * @param {{ type: string, labels?: string[], body: Record<string, unknown>, blocks?: object[] }[]} blocks
 */
export function toHcl(blocks) {
  return blocks.map((block) => writeBlock(block, "")).join("\n");
}

function writeBlock({ type, labels = [], body, blocks = [] }, indent) {
  const head = [type, ...labels.map((label) => quoted(label))].join(" ");
  const inner = `${indent}  `;
  // Terraform's own formatter puts the equals signs of neighbouring lines below each other.
  const written = Object.entries(body).map(([name, value]) => [name, expression(value, inner)]);
  const onOneLine = written.filter(([, text]) => !text.includes("\n"));
  const width = Math.max(0, ...onOneLine.map(([name]) => name.length));
  const attributes = [
    ...onOneLine.map(([name, text]) => `${inner}${name.padEnd(width)} = ${text}\n`),
    ...written.filter((one) => !onOneLine.includes(one)).map(([name, text]) => `${inner}${name} = ${text}\n`),
  ];
  const nested = blocks.map((block) => writeBlock(block, inner));
  const parts = [...(attributes.length > 0 ? [attributes.join("")] : []), ...nested];
  return `${indent}${head} {\n${parts.join("\n")}${indent}}\n`;
}

function expression(value, indent) {
  if (value instanceof Reference) return value.text;
  if (Array.isArray(value)) return `[${value.map((member) => expression(member, indent)).join(", ")}]`;
  if (typeof value !== "object") return typeof value === "string" ? quoted(value) : String(value);
  const width = Math.max(...Object.keys(value).map((name) => quoted(name).length));
  const entries = Object.entries(value).map(
    ([name, member]) => `${indent}  ${quoted(name).padEnd(width)} = ${expression(member, indent)}\n`,
  );
  return `{\n${entries.join("")}${indent}}`;
}

/** A text in which nothing is filled in: `${` and `%{` are only two characters. */
function quoted(text) {
  return JSON.stringify(text).replace(/[$%](?=\{)/g, (sign) => sign + sign);
}

/**
 * What a file of HCL declares and refers to. Not the whole language: blocks, attributes and references, and an error for
 * brackets that do not match.
 */
export function parseHcl(text) {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/g, (string) => `"${"_".repeat(string.length - 2)}"`);
  const open = [];
  for (const { 0: bracket, index } of bare.matchAll(/[{}[\]()]/g)) {
    if ("{[(".includes(bracket)) open.push(bracket);
    else if (open.pop() !== { "}": "{", "]": "[", ")": "(" }[bracket]) throw new SyntaxError(`${bracket} at ${index} closes nothing`);
  }
  if (open.length > 0) throw new SyntaxError(`${open.at(-1)} is never closed`);
  const blocks = [...text.matchAll(/^(resource|variable|provider|output) "([^"]+)"(?: "([^"]+)")? \{$/gm)].map(
    ([, type, first, second]) => ({ type, labels: second === undefined ? [first] : [first, second] }),
  );
  const references = [...bare.matchAll(/(?<![\w.])([a-z]\w*_\w+)\.([a-z_][\w-]*)\.\w+|(?<![\w.])var\.(\w+)/g)].map(
    ([, type, name, variable]) => (variable === undefined ? { type, name } : { type: "var", name: variable }),
  );
  return { blocks, references };
}
