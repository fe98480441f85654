import { spawnSync } from "node:child_process";

/** How to see whether something that tests use is there, and the packages that it comes in. */
const needed: Readonly<Record<string, readonly string[]>> = {
  git: ["git", "--version"],
  python3: ["python3", "--version"],
  // The sandbox shows the system's own Python, whatever else is on the PATH.
  "python3-pytest": ["/usr/bin/python3", "-I", "-c", "import pytest"],
  "python3-coverage": ["/usr/bin/python3", "-I", "-c", "import coverage"],
};

/** Installs what is missing, where this machine lets us; what cannot be had is told of by the tests that need it. */
export function fetchPrograms(): void {
  const missing = Object.entries(needed)
    .filter(([, [program, ...args]]) => spawnSync(program!, args).status !== 0)
    .map(([name]) => name);
  if (missing.length === 0 || process.getuid?.() !== 0) return;
  const apt = ["-o", "DPkg::Lock::Timeout=60", "-y"];
  spawnSync("apt-get", [...apt, "update"], { timeout: 120_000 });
  spawnSync("apt-get", [...apt, "install", "--no-install-recommends", ...missing], { timeout: 300_000 });
}
