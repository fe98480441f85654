import { type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";

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
export async function fetchPrograms(): Promise<void> {
  const wanted = Object.entries(needed).filter(([name]) => !serving.includes(name));
  const isThere = await Promise.all(wanted.map(([, [program, ...args]]) => succeeds(program!, args)));
  const missing = wanted.filter((_, index) => !isThere[index]).map(([name]) => name);
  if (missing.length === 0 || process.getuid?.() !== 0) return;
  const apt = ["-o", "DPkg::Lock::Timeout=60", "-y"];
  await succeeds("apt-get", [...apt, "update"], { timeout: 120_000 });
  await succeeds("apt-get", [...apt, "install", "--no-install-recommends", ...missing], { timeout: 300_000 });
}

function succeeds(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<boolean> {
  return new Promise((resolve) => {
    spawn(program, args, { ...options, stdio: "ignore" })
      .on("error", () => resolve(false))
      .on("exit", (code) => resolve(code === 0));
  });
}
