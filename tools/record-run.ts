/**
 * Records `slipway run` from nothing to a deployed application in a pseudo-terminal, and draws it as a picture that moves:
 * `npm run record` writes docs/images/run.svg.
 */
import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TerminalScreen } from "./terminal-screen.ts";
import { drawLine, drawWindow, lineHeight } from "./terminal-svg.ts";

const size = { columns: 100, rows: 18 };
const maxBytes = 300_000;
/** How often the screen is looked at; how many of these looks the picture shows, each how long, and the last one. */
const lookMs = 100;
const maxFrames = 50;
const shownMs = 300;
const lastShownMs = 6_000;

interface Frame {
  readonly atMs: number;
  readonly lines: readonly string[];
}

const root = fileURLToPath(new URL("../", import.meta.url));
const command = "slipway run api.yaml --exit-when-done";
const frames = await record();
const picture = draw(frames);
if (picture.length > maxBytes) throw new Error(`The picture has ${picture.length} bytes, more than ${maxBytes}.`);
writeFileSync(join(root, "docs/images/run.svg"), picture);

/** Runs the command in a new folder, and looks at its screen while it runs. */
async function record(): Promise<Frame[]> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-record-"));
  try {
    copyFileSync(join(root, "examples/api.yaml"), join(folder, "api.yaml"));
    const program = command.replace("slipway", `${process.execPath} ${join(root, "packages/cli/bin/slipway.cjs")}`);
    const shell = `stty cols ${size.columns} rows ${size.rows - 1}; ${program}`;
    const { CI: _, ...env } = process.env;
    const child = spawn("script", ["-qefc", shell, "/dev/null"], {
      cwd: folder,
      env: { ...env, TERM: "xterm-256color" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const screen = new TerminalScreen();
    screen.write(`\x1b[32m$\x1b[0m ${command}\n`);
    child.stdout.setEncoding("utf8").on("data", (text: string) => screen.write(text));
    const seen: string[][] = [];
    // The code lets nobody in any more, and is of no use to who looks at a picture.
    const look = () => seen.push(screen.lines(size.rows).map((line) => withoutCode(line)));
    look();
    const timer = setInterval(look, lookMs);
    const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
    clearInterval(timer);
    look();
    if (code !== 0) throw new Error(`${command} ended with ${code}`);
    return chosenOf(seen);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function withoutCode(line: string): string {
  const cells = line.split(/(?<=\x1b\[0m)/);
  const at = line.replace(/\x1b\[\d+m/g, "").indexOf("#sign-in=");
  return at === -1 ? line : `${cells.slice(0, at + "#sign-in=".length).join("")}…`;
}

/** However long it took: as many frames as fit, evenly chosen of those that differ, with the first and the last. */
function chosenOf(seen: readonly (readonly string[])[]): Frame[] {
  const different = seen.filter((lines, index) => lines.join("\n") !== seen[index - 1]?.join("\n"));
  const count = Math.min(maxFrames, different.length);
  return Array.from({ length: count }, (_, index) => {
    const place = Math.round((index * (different.length - 1)) / Math.max(1, count - 1));
    return { atMs: index * shownMs, lines: different[place]! };
  });
}

/** A text for each stretch of time in which a row shows the same; a hidden clock begins all of them again. */
function draw(shown: readonly Frame[]): string {
  const endMs = shown.at(-1)!.atMs + lastShownMs;
  const texts = Array.from({ length: size.rows }, (_, row) => textsOf(shown, row, endMs)).flat();
  const clock = `    <rect width="0" height="0"><animate id="t" attributeName="x" begin="0;t.end" dur="${seconds(endMs)}"/></rect>`;
  const title = "slipway run takes a document from nothing to a deployed application";
  return drawWindow(title, size, [clock, ...texts].join("\n"));
}

function textsOf(shown: readonly Frame[], row: number, endMs: number): string[] {
  const texts: string[] = [];
  for (let from = 0; from < shown.length; ) {
    const line = shown[from]!.lines[row] ?? "";
    let to = from + 1;
    while (to < shown.length && (shown[to]!.lines[row] ?? "") === line) to++;
    const beginMs = shown[from]!.atMs;
    const dur = seconds((shown[to]?.atMs ?? endMs) - beginMs);
    const set = `<set attributeName="visibility" to="visible" begin="t.begin+${seconds(beginMs)}" dur="${dur}"/>`;
    // Where nothing moves pictures, the end is shown.
    const visibility = to === shown.length ? "" : ' visibility="hidden"';
    const hide =
      to === shown.length && from > 0
        ? `<set attributeName="visibility" to="hidden" begin="t.begin" dur="${seconds(beginMs)}"/>`
        : "";
    if (line !== "")
      texts.push(
        `    <text x="20" y="${row * lineHeight + 34}"${visibility}>${drawLine(joined(line))}${hide || set}</text>`,
      );
    from = to;
  }
  return texts;
}

/** Characters of the same colours after each other share them. */
function joined(line: string): string {
  return line.replace(/\x1b\[0m((?:\x1b\[\d+m)+)/g, (reset, next: string, at: number) => {
    const before = /((?:\x1b\[\d+m)+)[^\x1b]+$/.exec(line.slice(0, at))?.[1];
    return before === next ? "" : `${reset}${next}`;
  });
}

function seconds(ms: number): string {
  return `${Math.round(ms) / 1000}s`;
}
