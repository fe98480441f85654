import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, isAbsolute } from "node:path";

/** How to see whether something that tests use is there, and the packages that it comes in. */
const needed: Readonly<Record<string, readonly string[]>> = {
  git: ["git", "--version"],
  // What each service tries out when it starts: one that does without behaves in another way.
  bubblewrap: ["bwrap", "--version"],
  // Pages are tried out in it.
  chromium: ["chromium", "--version"],
  python3: ["python3", "--version"],
  // The sandbox shows the system's own Python, whatever else is on the PATH.
  "python3-pytest": ["/usr/bin/python3", "-I", "-c", "import pytest"],
  "python3-coverage": ["/usr/bin/python3", "-I", "-c", "import coverage"],
  mypy: ["/usr/bin/python3", "-I", "-c", "import mypy"],
  // A machine that is deployed to.
  "openssh-client": ["ssh", "-V"],
  "openssh-server": ["/usr/sbin/sshd", "-V"],
  "golang-go": ["/usr/bin/go", "version"],
  // Runs containers, with the one runtime that works on every machine's cgroups.
  podman: ["podman", "--version"],
  runc: ["runc", "--version"],
  catatonit: ["catatonit", "--version"],
  cargo: ["/usr/bin/cargo", "--version"],
};

/** What begins to serve the network as soon as systemd sees it installed: people decide that themselves. */
const serving = existsSync("/run/systemd/system") ? ["openssh-server"] : [];

/** Installs what is missing, where this machine lets us; what cannot be had is told of by the tests that need it. */
export function fetchPrograms(): void {
  const missing = Object.entries(needed)
    .filter(([, [program, ...args]]) => spawnSync(program!, args).status !== 0)
    .map(([name]) => name)
    .filter((name) => !serving.includes(name));
  if (missing.length === 0 || process.getuid?.() !== 0) return;
  const apt = ["-o", "DPkg::Lock::Timeout=60", "-y"];
  spawnSync("apt-get", [...apt, "update"], { timeout: 120_000 });
  spawnSync("apt-get", [...apt, "install", "--no-install-recommends", ...missing], { timeout: 300_000 });
}

/**
 * Puts the interpreter itself before scripts that choose one: such a script starts forty processes each time, which is more
 * than what most tests do with it.
 */
export function preferRealPython(): void {
  const { stdout, status } = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" });
  const folder = dirname(stdout?.trim() ?? "");
  const places = (process.env["PATH"] ?? "").split(delimiter);
  if (status === 0 && isAbsolute(folder) && !places.includes(folder))
    process.env["PATH"] = [folder, ...places].join(delimiter);
}
