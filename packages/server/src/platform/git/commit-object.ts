/** The content of a commit object. */
export interface Commit {
  readonly tree: string;
  readonly parents: readonly string[];
  /** `name <email> seconds zone`, for author and committer alike. */
  readonly signature: string;
  readonly message: string;
}

export interface Author {
  readonly name: string;
  readonly email: string;
}

export function writeCommit({ tree, parents, signature, message }: Commit): Buffer {
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${signature}`,
    `committer ${signature}`,
  ];
  return Buffer.from(`${lines.join("\n")}\n\n${message}`);
}

export function parseCommit(content: Buffer): Commit {
  const text = content.toString("utf8");
  const end = text.indexOf("\n\n");
  const headers = text.slice(0, end).split("\n");
  const valuesOf = (name: string) =>
    headers.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  return {
    tree: valuesOf("tree")[0] ?? "",
    parents: valuesOf("parent"),
    signature: valuesOf("author")[0] ?? "",
    message: text.slice(end + 2),
  };
}

/** Removes `<`, `>` and line breaks, at which git would end a name. */
export function signatureOf({ name, email }: Author, at: Date): string {
  const seconds = Math.max(0, Math.floor(at.getTime() / 1000));
  return `${plain(name) || "unknown"} <${plain(email).replaceAll(" ", "") || "unknown"}> ${seconds} +0000`;
}

/** Appends trailers as a last paragraph of their own, so that no line of the message passes for one. */
export function messageWith(message: string, trailers: Readonly<Record<string, string>>): string {
  const body = message.replaceAll("\0", "").replaceAll("\r\n", "\n").toWellFormed().trim();
  const lines = Object.entries(trailers).map(([key, value]) => `${key}: ${plain(value)}`);
  return [body || "No message", ...(lines.length > 0 ? [lines.join("\n")] : [])].join("\n\n").concat("\n");
}

function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(/[<>\p{Cc}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^[\s.,:;"'\\]+|(?<![\s.,:;"'\\])[\s.,:;"'\\]+$/g, "");
}
