import { spawnSync } from "node:child_process";

/** Programs that tests run, and the packages that they come in. */
const needed = { git: "git", python3: "python3" } as const;

/** Installs what is missing, where this machine lets us; what cannot be had is told of by the tests that need it. */
export function fetchPrograms(): void {
  const missing = Object.entries(needed)
    .filter(([program]) => spawnSync(program, ["--version"]).status !== 0)
    .map(([, name]) => name);
  if (missing.length === 0 || process.getuid?.() !== 0) return;
  const apt = ["-o", "DPkg::Lock::Timeout=60", "-y"];
  spawnSync("apt-get", [...apt, "update"], { timeout: 120_000 });
  spawnSync("apt-get", [...apt, "install", "--no-install-recommends", ...missing], { timeout: 300_000 });
}
