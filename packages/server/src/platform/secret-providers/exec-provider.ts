import { execFile } from "node:child_process";
import { Masker, ProviderFailure, type SecretProvider, type SecretRequest, secretName } from "../secrets/index.ts";
import { narrowedPath, unusedFields } from "./narrowed-path.ts";
import { pickValues } from "./pick-values.ts";
import type { ExecSettings } from "./provider-settings.ts";

const maxOutputBytes = 1024 * 1024;

/**
 * A program of the operator, such as `pass show {name}`: once for each secret, or once for all if it prints a JSON map. It
 * runs as the service does, outside the sandbox, because it needs its own settings and keys. No shell reads the arguments.
 */
export function execProvider(
  settings: ExecSettings,
  environment: NodeJS.ProcessEnv,
): Pick<SecretProvider, "howToSet" | "unused" | "read"> {
  const isForEach = settings.command.some((argument) => argument.includes("{name}"));
  const hasPath = settings.command.some((argument) => argument.includes("{path}"));
  return {
    howToSet: (names) => `Store ${names.join(", ")} where '${settings.command[0]}' finds them.`,
    unused: (request) => unusedFields({ path: hasPath }, request),
    read: async (request) => {
      const path = hasPath ? narrowedPath("", request).join("/") : "";
      if (hasPath && path === "")
        throw new ProviderFailure("the document must name a path, as in 'provider: <name>://<path>'.");
      // For all names together: each of many may take its time.
      const untilMs = performance.now() + settings.timeoutMs;
      const run = (name: string) => runProgram(settings, environment, { name, path, untilMs });
      if (!isForEach) return pickValues(parse(await run("")), request.names);
      return readEach(request, run);
    },
  };
}

async function readEach(
  { names }: SecretRequest,
  run: (name: string) => Promise<string | undefined>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  // One after another: such programs ask an agent or lock a store.
  for (const name of names.filter((one) => secretName.test(one))) {
    const output = await run(name);
    if (output !== undefined) found.set(name, output.replace(/\r?\n$/, ""));
  }
  return found;
}

function parse(output: string | undefined): unknown {
  try {
    return JSON.parse(output ?? "{}");
  } catch {
    // Without the parser's message, which quotes the output.
    throw new ProviderFailure("its program did not print a JSON map of names and values.");
  }
}

/** Its output; undefined if it says that there is no such secret. */
async function runProgram(
  { command, env, notFound, timeoutMs }: ExecSettings,
  environment: NodeJS.ProcessEnv,
  { name, path, untilMs }: { readonly name: string; readonly path: string; readonly untilMs: number },
): Promise<string | undefined> {
  const [program = "", ...args] = command.map((argument) =>
    argument.replace(/\{(name|path)\}/g, (_, key) => (key === "name" ? name : path)),
  );
  const given = [...new Set(["PATH", "HOME", ...env])].flatMap((key) => {
    const value = environment[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  const { promise, resolve } = Promise.withResolvers<{ error: Error | null; stdout: string; stderr: string }>();
  const child = execFile(
    program,
    args,
    {
      env: Object.fromEntries(given),
      timeout: Math.max(1, Math.ceil(untilMs - performance.now())),
      killSignal: "SIGKILL",
      maxBuffer: maxOutputBytes,
    },
    (error, stdout, stderr) => resolve({ error, stdout, stderr }),
  );
  child.stdin?.on("error", () => undefined).end();
  const { error, stdout, stderr } = await promise;
  if (error === null) return stdout;
  if (notFound !== undefined && stderr.includes(notFound)) return undefined;
  const credentials = given.flatMap(([key, value]) => (key === "PATH" || key === "HOME" ? [] : [value]));
  throw await whyFailed(error, stderr, credentials, timeoutMs);
}

async function whyFailed(
  error: Error,
  stderr: string,
  credentials: readonly string[],
  timeoutMs: number,
): Promise<ProviderFailure> {
  const { code, killed, signal } = error as { code?: unknown; killed?: boolean; signal?: string | null };
  if (code === "ENOENT") return new ProviderFailure("its program is not installed where the service runs.");
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return new ProviderFailure("its program printed too much.");
  if (killed === true)
    return new ProviderFailure(`its program did not end within ${timeoutMs / 1000} s.`, { isTransient: true });
  const last = stderr.trim().split("\n").at(-1) ?? "";
  const said = new Masker([...credentials]).maskAndCut(last, 300);
  const how = typeof code === "number" ? `exit code ${code}` : (signal ?? String(code));
  return new ProviderFailure(`its program failed (${how})${said === "" ? "." : `: ${said}`}`);
}
