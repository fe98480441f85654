import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CommandError, exitCode } from "../exit-code.ts";

/** The servers that a person has logged in to, by name. */
export interface Contexts {
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, KeptLogin>>;
}

/** A service, and how to be let in there. */
export interface KeptLogin {
  readonly url: string;
  readonly token: string;
  /** Renews the token; only of logins by a browser. */
  readonly refresh_token?: string;
  readonly expires_at?: string;
}

type Env = Readonly<NodeJS.ProcessEnv>;

/** Where the person's own settings are, as this system has it. */
export function contextsFile(env: Env): string {
  const named = env["SLIPWAY_CONTEXTS"];
  if (named) return named;
  const home = env["HOME"] || homedir();
  if (process.platform === "darwin") return join(home, "Library/Application Support/slipway/contexts.json");
  if (process.platform === "win32")
    return join(env["APPDATA"] || join(home, "AppData/Roaming"), "slipway/contexts.json");
  return join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "slipway/contexts.json");
}

/** The contexts of this person; none where nobody has logged in. */
export function readContexts(env: Env): Contexts {
  const file = contextsFile(env);
  try {
    const { current = null, contexts = {} } = JSON.parse(readFileSync(file, "utf8")) as Partial<Contexts>;
    if (!Object.values(contexts).every(isKept)) throw new Error("Not every context has an address and a token.");
    // Without what every other object has: nobody logged in to a context called `constructor`.
    return { current, contexts: Object.assign(Object.create(null), contexts) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { current: null, contexts: {} };
    throw new CommandError(exitCode.usage, `cannot read ${file}: remove it and run 'slipway login'`, { cause: error });
  }
}

function isKept(login: Partial<KeptLogin> | null): boolean {
  return typeof login?.url === "string" && typeof login.token === "string";
}

/** Replaces the file as a whole; only its owner may read it, because tokens are in it. */
export function writeContexts(env: Env, contexts: Contexts): void {
  const file = contextsFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 });
  chmodSync(next, 0o600);
  renameSync(next, file);
}
