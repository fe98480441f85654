import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { launcher } from "../run-slipway.ts";

export interface Called {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Call {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** What is typed, or piped in. */
  readonly input?: string;
  /** Ctrl-C is pressed when the output has this. */
  readonly until?: RegExp;
}

/** Far more than any command takes on a busy machine: one that waits for input that never comes ends here. */
const maxMs = 120_000;

/** Runs a command in a pseudo-terminal of 100 columns; what it prints comes as one stream. */
export function callInTerminal(call: Call): Promise<Called> {
  const command = [process.execPath, launcher, ...call.args].map(quoted).join(" ");
  // `script` ends the input of the terminal when ours ends: a question that nobody foresaw gets no answer.
  return ended(call, "script", ["-qefc", `stty cols 100 rows 40; ${command}`, "/dev/null"], "\u0003");
}

/** Runs a command between pipes, for a program: with `--json`, unless the service's own program implements it. */
export function callInPipe(call: Call): Promise<Called> {
  return ended(call, process.execPath, [launcher, ...call.args], undefined);
}

function ended(
  { cwd, env, input = "", until }: Call,
  program: string,
  args: readonly string[],
  interrupt: string | undefined,
): Promise<Called> {
  const { promise, resolve, reject } = Promise.withResolvers<Called>();
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
  const child = spawn(program, args, { cwd, env: { PATH: path, TERM: "xterm-256color", ...env } });
  const texts = { out: "", err: "" };
  let isInterrupted = false;
  const receive = (name: keyof typeof texts) => (text: string) => {
    texts[name] += text;
    if (isInterrupted || !until?.test(texts.out + texts.err)) return;
    isInterrupted = true;
    if (interrupt === undefined) child.kill("SIGINT");
    else child.stdin.write(interrupt);
  };
  child.stdout.setEncoding("utf8").on("data", receive("out"));
  child.stderr.setEncoding("utf8").on("data", receive("err"));
  // The command may end before it has read everything.
  child.stdin.on("error", () => undefined);
  if (until === undefined) child.stdin.end(input);
  else child.stdin.write(input);
  const timer = setTimeout(() => child.kill("SIGKILL"), maxMs);
  child.on("error", reject);
  child.on("close", (code) => {
    clearTimeout(timer);
    child.stdin.destroy();
    resolve({ code, ...texts });
  });
  return promise;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
