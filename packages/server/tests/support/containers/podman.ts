import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import type { ContainerSettings } from "../../../src/deployment/index.ts";

/** A podman with a store of its own, and an image in it that has this Node and a shell. */
export interface Podman {
  readonly settings: ContainerSettings;
  readonly baseImage: string;
  /** What it prints when it is called with these arguments. */
  call(...args: string[]): string;
}

const baseImage = "localhost/slipway-tests/node";

/** The engine, or why this machine has none. Everything in it is gone after the tests of the file. */
export function openPodman(): Podman | { readonly missing: string } {
  if (spawnSync("podman", ["--version"]).status !== 0) return { missing: "podman is not installed" };
  const place = mkdtempSync(join(tmpdir(), "slipway-podman-"));
  const folders = ["--root", join(place, "store"), "--runroot", join(place, "run")];
  let reason = "";
  // What runs depends on the machine's cgroups, and on what its disk can be mounted over.
  for (const how of [[], ["--runtime", "runc"], ["--runtime", "runc", "--storage-driver", "vfs"]]) {
    const engine = ["podman", ...folders, ...how] as const;
    const call = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(engine[0], [...engine.slice(1), ...args], { encoding: "utf8" });
      if (status !== 0) throw new Error(stderr.trim().split("\n").at(-1));
      return stdout.trim();
    };
    try {
      buildBase(call, join(place, "base"));
      const limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024"];
      call("run", "--rm", "--network", "host", ...limits, baseImage, "node", "--version");
    } catch (error) {
      reason = (error as Error).message;
      spawnSync(engine[0], [...engine.slice(1), "system", "reset", "--force"]);
      continue;
    }
    afterAll(() => {
      spawnSync(engine[0], [...engine.slice(1), "rm", "--all", "--force", "--time", "0"]);
      spawnSync(engine[0], [...engine.slice(1), "system", "reset", "--force"]);
      rmSync(place, { recursive: true, force: true });
    });
    return { settings: { engine: [...engine], baseImages: { node: baseImage }, allowsOwn: true }, baseImage, call };
  }
  rmSync(place, { recursive: true, force: true });
  return { missing: `podman runs no container here: ${reason}` };
}

/** No registry can be reached: the image has the programs of this machine, with the libraries that they name. */
function buildBase(call: (...args: string[]) => string, folder: string): void {
  const programs = { [process.execPath]: "/usr/bin/node", "/bin/sh": "/bin/sh" };
  const libraries = Object.keys(programs).flatMap((program) =>
    [...spawnSync("ldd", [program], { encoding: "utf8" }).stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path!),
  );
  const files = { ...programs, ...Object.fromEntries(libraries.map((path) => [path, path])) };
  for (const [from, to] of Object.entries(files)) {
    mkdirSync(join(folder, "root", dirname(to)), { recursive: true });
    copyFileSync(from, join(folder, "root", to));
  }
  for (const name of ["tmp", "etc"]) mkdirSync(join(folder, "root", name), { recursive: true });
  writeFileSync(join(folder, "Containerfile"), "FROM scratch\nCOPY root/ /\n");
  call("build", "--layers=false", "--tag", baseImage, folder);
}
