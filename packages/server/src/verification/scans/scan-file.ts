import { looksLikePython } from "./code/looks-like-python.ts";
import { runsAsScript } from "./code/parse-script.ts";
import { scanDockerfile, scanManifest } from "./code/scan-dockerfile.ts";
import { scanPage } from "./code/scan-page.ts";
import { scanPython } from "./code/scan-python.ts";
import { scanScript } from "./code/scan-script.ts";
import { scanShell } from "./code/scan-shell.ts";
import { isMedia, isProgram, textOf } from "./file-content.ts";
import { type FileKind, isNamedMedia, kindOf } from "./file-kind.ts";
import { dataOnly, type IgnoredComment, type LintProblem, type ScannerName, type Spotted } from "./finding.ts";
import { maxFindings, withinRules } from "./kept-findings.ts";
import { lineCounter } from "./line-counter.ts";
import { lintScript } from "./lint-script.ts";
import { findSecrets } from "./secrets/find-secrets.ts";

/** A file to look at, as the thread gets it. */
export interface FileToScan {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isLinted: boolean;
}

/** What the rules say of a file. */
export interface FileScan {
  readonly spotted: readonly (Spotted & { readonly source: string })[];
  /** Findings beyond those. */
  readonly leftOut: number;
  /** Which scanners read it. */
  readonly scanners: readonly ScannerName[];
  /** Why some rules could not read it. */
  readonly unscanned: string | undefined;
  readonly ignoredComments: readonly Omit<IgnoredComment, "path">[];
  readonly lint: readonly Omit<LintProblem, "path">[] | undefined;
  readonly lines: number;
}

/** Comments by which scanners are asked to look away, and how each is written. */
const markers =
  /eslint-disable(?:-next-line|-line)?|biome-ignore|secretlint-disable(?:-next-line|-line)?|gitleaks:allow|pragma: ?allowlist|slipway-ignore|\bnosec\b|\bnosemgrep\b|\bNOSONAR\b|shellcheck disable|hadolint ignore|checkov:skip|trufflehog:ignore|snyk-ignore|codeql\[|lgtm\[/g;
const maxComments = 20;

/** Reads a file by all rules that are for it. Runs in a thread of its own: a stranger wrote the file. */
export async function scanFile({ path, bytes, isLinted }: FileToScan): Promise<FileScan> {
  const { text, code, isBinary } = textOf(bytes);
  const secrets = await findSecrets(path, text);
  const kind = kindOf(path, code);
  const isShown = isMedia(bytes) || isNamedMedia(path);
  const { spotted, scanner, error } = tryScanAs(kind, { path, text: code, isShown });
  if (isBinary && (scanner === undefined || (kind === "script" && error !== undefined)))
    return {
      ...withSource(secrets, ""),
      scanners: ["secrets"],
      unscanned: whyUnread(bytes),
      ignoredComments: [],
      lint: undefined,
      lines: 0,
    };
  const found = [...secrets, ...spotted, ...hiddenDirections(kind, code)];
  return {
    ...withSource(found, code),
    scanners: scanner === undefined ? ["secrets"] : ["secrets", scanner],
    unscanned: error ?? (isProgram(bytes) ? whyUnread(bytes) : undefined),
    ignoredComments: commentsIn(code),
    lint: isLinted && kind === "script" ? lintScript(path, code).slice(0, maxFindings) : undefined,
    lines: code === "" ? 0 : code.split("\n").length,
  };
}

function whyUnread(bytes: Uint8Array): string | undefined {
  if (isProgram(bytes)) return "is a program or an archive, which no rule reads";
  return isMedia(bytes) ? undefined : dataOnly;
}

interface TextToScan {
  readonly path: string;
  readonly text: string;
  /** Whether the file looks like something that is shown or played. */
  readonly isShown: boolean;
}

interface KindScan {
  readonly spotted: readonly Spotted[];
  readonly scanner: ScannerName | undefined;
  readonly error?: string;
}

/** A text that is too deep for a parser must not hide the secrets that were found in it. */
function tryScanAs(kind: FileKind, file: TextToScan): KindScan {
  try {
    return scanAs(kind, file);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { spotted: [], scanner: undefined, error: "cannot be parsed: it is nested too deeply" };
  }
}

function scanAs(kind: FileKind, file: TextToScan): KindScan {
  const { path, text } = file;
  switch (kind) {
    case "script":
    case "page": {
      const scan = kind === "page" ? scanPage(text) : scanScript(path, text);
      if ("spotted" in scan) return { spotted: scan.spotted, scanner: "code" };
      return { spotted: [], scanner: "code", error: `cannot be parsed: ${scan.error}` };
    }
    case "python":
      return withLong((onLong) => scanPython(text, onLong), "python");
    case "dockerfile":
      return withLong((onLong) => scanDockerfile(text, onLong), "containers");
    case "manifest":
      return withLong((onLong) => scanManifest(text, onLong), "containers");
    case "shell":
      return withLong((onLong) => scanShell(text, { onLong }), "shell");
    case "foreign":
      return {
        spotted: [],
        scanner: undefined,
        error: "is in a language that no rule reads: only secrets were looked for",
      };
    case "text":
      return /(?:^|\/)package\.json$/.test(path)
        ? withLong((onLong) => scanScripts(text, onLong), "shell")
        : { spotted: [], scanner: undefined };
    case "unsure":
      return scanUnsure(file);
  }
}

/** Node and Python run a file of any name if they can parse it, and a shell whatever there is. */
function scanUnsure({ path, text, isShown }: TextToScan): KindScan {
  if (isJson(text)) return { spotted: [], scanner: undefined };
  const script = looksReaching.test(text) && runsAsScript(text) ? scanScript(path, text) : undefined;
  const asScript = script !== undefined && "spotted" in script ? script.spotted : undefined;
  const asPython = looksLikePython(text) ? withLong((onLong) => scanPython(text, onLong), "python") : undefined;
  // Nobody shows a text as a picture.
  const asShell = isShown ? scanShell(text) : [];
  const scanner = asScript !== undefined ? "code" : (asPython?.scanner ?? (asShell.length > 0 ? "shell" : undefined));
  return {
    spotted: [...(asScript ?? []), ...(asPython?.spotted ?? []), ...asShell],
    scanner,
    ...(asPython?.error !== undefined && { error: asPython.error }),
  };
}

/** Code that reaches nothing outside of itself does no harm. */
const looksReaching =
  /\b(?:require|import|eval|Function|constructor|process|globalThis|global|module|exports|this|self|window|document|location|fetch|set(?:Timeout|Interval|Immediate)|[\w$]{0,40}[rR]eq(?:uest)?|ctx|event)\b/;

/** Data that happens to be an expression. */
function isJson(text: string): boolean {
  if (!/^\s{0,99}[{["]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What rules find that read only so much of a line, and the first line of which they have not read all. */
function withLong(scan: (onLong: (line: number) => void) => readonly Spotted[], scanner: ScannerName): KindScan {
  let long: number | undefined;
  const spotted = scan((line) => {
    long ??= line;
  });
  const error = `has too long a line for all of it to be read, first line ${long}`;
  return { spotted, scanner, ...(long !== undefined && { error }) };
}

/** The commands of a package.json, which installing it runs, wherever its lines end. */
function scanScripts(text: string, onLong: (line: number) => void): Spotted[] {
  const lineAt = lineCounter(text);
  return [...text.matchAll(/"[\w:.-]+"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"/g)].flatMap(({ index, 1: written = "" }) =>
    scanShell(unescaped(written), { firstLine: lineAt(index), onLong }),
  );
}

function unescaped(written: string): string {
  try {
    return (JSON.parse(`"${written}"`) as string).replaceAll("\n", ";");
  } catch {
    return written.replaceAll('\\"', '"');
  }
}

/** Signs that make code read otherwise than it runs. */
function hiddenDirections(kind: FileKind, text: string): Spotted[] {
  if (kind === "text" || kind === "unsure" || kind === "manifest") return [];
  const at = text.search(/[\u202a-\u202e\u2066-\u2069]/);
  if (at === -1) return [];
  const line = text.slice(0, at).split("\n").length;
  return [
    {
      ruleId: "code/hidden-direction",
      severity: "high",
      line,
      message: "Invisible signs make the code read otherwise than it runs.",
      remedy: "Take them out.",
      scanner: "code",
    },
  ];
}

function commentsIn(text: string): Omit<IgnoredComment, "path">[] {
  const found: Omit<IgnoredComment, "path">[] = [];
  let line = 1;
  let last = 0;
  for (const match of text.matchAll(markers)) {
    for (let at = text.indexOf("\n", last); at !== -1 && at < match.index; at = text.indexOf("\n", at + 1)) line += 1;
    last = match.index;
    found.push({ line, marker: match[0] });
    if (found.length >= maxComments) break;
  }
  return found;
}

/** The line of each finding, which tells the same finding again when lines move. */
function withSource(found: readonly Spotted[], text: string): Pick<FileScan, "spotted" | "leftOut"> {
  if (found.length === 0) return { spotted: [], leftOut: 0 };
  const { kept, leftOut } = withinRules(found);
  const lines = text.split("\n");
  // A secret's line would give it away by its hash.
  const spotted = kept.map((one) => ({
    ...one,
    source: one.scanner === "secrets" ? "" : (lines[one.line - 1] ?? "").trim().slice(0, 500),
  }));
  return { spotted, leftOut };
}
