import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { placesOf, planService, printService, variablesNote } from "./install-service.ts";

export const serviceHelp = `Usage: slipway service install [--user] [--print] [--json] [options of 'slipway serve']
       slipway service uninstall [--user] [--json]
       slipway service status [--user] [--json]

Keep the service running by systemd. 'install' writes a unit that starts the service with these options after each boot,
enables it and starts it; 'uninstall' stops it and removes the unit, and leaves all data; 'status' says how it is.
The unit runs the service as the user who calls this, also by sudo, in this folder; it contains no secrets.

  --user    the systemd of the user who calls this; without it the machine's, which only root may change
  --print   print the unit and how to install it; change nothing (--dry-run is the same)

Exit codes: 0 done, or the service is active; 1 systemd refused, or the service is not active; 2 wrong usage

Example: sudo slipway service install --data /var/lib/slipway --port 4700
`;

const run = promisify(execFile);

interface Answered {
  readonly isDone: boolean;
  readonly text: string;
}

/** Carries out `slipway service …`; returns why it could not, and the exit code. */
export async function manageService([action, ...given]: readonly string[]): Promise<
  { readonly why: string; readonly code: 1 | 2 } | undefined
> {
  const flags = ["--json", "--print", "--dry-run"];
  const args = given.filter((arg) => !flags.includes(arg));
  const isJson = given.includes("--json");
  const isOfUser = args.includes("--user");
  if (action === "install" && (given.includes("--print") || given.includes("--dry-run")))
    return void printService(args, { isJson });
  if (action === "install") return install(args, isJson);
  if ((action !== "uninstall" && action !== "status") || args.some((arg) => arg !== "--user"))
    return { why: "say 'slipway service install', 'uninstall' or 'status'; --help explains them", code: 2 };
  return action === "uninstall" ? uninstall(isOfUser, isJson) : status(isOfUser, isJson);
}

async function install(args: readonly string[], isJson: boolean): ReturnType<typeof manageService> {
  const planned = planService({ args, env: process.env });
  const isOfUser = args.includes("--user");
  if (!isOfUser && process.getuid?.() !== 0) return { why: needsRoot("install"), code: 1 };
  try {
    await mkdir(dirname(planned.file), { recursive: true });
    await writeFile(planned.file, planned.unit);
  } catch (error) {
    return { why: `${planned.file} cannot be written: ${(error as Error).message}`, code: 1 };
  }
  for (const words of [["daemon-reload"], ["enable", "slipway"], ["restart", "slipway"]]) {
    const { isDone, text } = await systemctl(isOfUser, ...words);
    if (!isDone) return { why: `the unit is in ${planned.file}, but systemd refused: ${text}`, code: 1 };
  }
  const stays = isOfUser ? "\nIt ends when you log out, unless root says: loginctl enable-linger\n" : "";
  say(isJson, { file: planned.file, is_active: true }, `${planned.file} is installed and runs.\n${stays}`);
  if (!isJson) process.stderr.write(variablesNote(planned));
  return undefined;
}

async function uninstall(isOfUser: boolean, isJson: boolean): ReturnType<typeof manageService> {
  const { file } = placesOf(isOfUser, process.env);
  if (!isOfUser && process.getuid?.() !== 0) return { why: needsRoot("uninstall"), code: 1 };
  const wasInstalled = existsSync(file);
  if (wasInstalled) {
    const { isDone, text } = await systemctl(isOfUser, "disable", "--now", "slipway");
    if (!isDone) return { why: `nothing was removed, because systemd refused: ${text}`, code: 1 };
    await rm(file, { force: true });
    await systemctl(isOfUser, "daemon-reload");
  }
  say(
    isJson,
    { file, was_installed: wasInstalled },
    `${file} is ${wasInstalled ? "removed" : "not there"}; data stays.\n`,
  );
  return undefined;
}

async function status(isOfUser: boolean, isJson: boolean): ReturnType<typeof manageService> {
  const { file } = placesOf(isOfUser, process.env);
  const isInstalled = existsSync(file);
  const state = isInstalled ? (await systemctl(isOfUser, "is-active", "slipway")).text : "not installed";
  say(
    isJson,
    { file, is_installed: isInstalled, state },
    `slipway.service: ${state}${isInstalled ? ` (${file})` : ""}\n`,
  );
  if (state !== "active") process.exitCode = 1;
  return undefined;
}

function say(isJson: boolean, result: object, text: string): void {
  process.stdout.write(isJson ? `${JSON.stringify(result, null, 2)}\n` : text);
}

function needsRoot(action: string): string {
  return `only root changes the machine's units. Say 'sudo slipway service ${action}', or 'slipway service ${action} --user' for your own`;
}

/** Calls systemd; the text is what it said first, or why it could not be called. */
async function systemctl(isOfUser: boolean, ...words: readonly string[]): Promise<Answered> {
  const [program = "", ...first] = placesOf(isOfUser, process.env).systemctl;
  try {
    const { stdout } = await run(program, [...first, ...words], { timeout: 120_000 });
    return { isDone: true, text: stdout.trim() };
  } catch (error) {
    const {
      code,
      stdout = "",
      stderr = "",
      message,
    } = error as NodeJS.ErrnoException & Record<"stdout" | "stderr", string>;
    if (String(code) === "ENOENT") return { isDone: false, text: "there is no systemctl on this machine" };
    return { isDone: false, text: (stdout.trim() || stderr.trim() || message).split("\n")[0]! };
  }
}
