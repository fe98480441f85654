import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Config } from "../../../src/app/config.ts";
import { whenDone } from "../when-done.ts";

/** An engine with a store of its own, and an image in it that has this Node and a shell. */
export interface TestEngine {
  readonly settings: Config["containers"];
  readonly baseImage: string;
  /** What it prints when it is called with these arguments. */
  call(...args: string[]): string;
}

const baseImage = "localhost/slipway-tests/node";

/**
 * Podman, or why this machine has none; another engine where `SLIPWAY_TEST_ENGINE` names one, such as
 * `docker -H unix:///run/docker.sock`. Everything that tests make in it is gone after those of the file.
 */
export function openEngine(): TestEngine | { readonly missing: string } {
  const place = mkdtempSync(join(tmpdir(), "slipway-engine-"));
  let missing = "";
  for (const [program = "", ...args] of enginesIn(place)) {
    const call = (...more: string[]) => {
      const { status, stdout, stderr, error } = spawnSync(program, [...args, ...more], { encoding: "utf8" });
      if (status !== 0) throw error ?? new Error(stderr.trim().split("\n").at(-1));
      return stdout.trim();
    };
    const clean = () => {
      const all = (...more: string[]) => spawnSync(program, [...args, ...more], { encoding: "utf8" }).stdout;
      const ids = all("ps", "--all", "--quiet", "--filter", "label=slipway.installation").split("\n").filter(Boolean);
      if (ids.length > 0) all("rm", "--force", ...ids);
      if (args.includes(join(place, "store"))) all("system", "reset", "--force");
      else all("rmi", baseImage);
      rmSync(place, { recursive: true, force: true });
    };
    try {
      buildImageOf(call, join(place, "base"), baseImage, [process.execPath, "/bin/sh"]);
      const limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024"];
      call("run", "--rm", "--network", "host", ...limits, baseImage, "node", "--version");
      whenDone(clean);
      return {
        settings: { engine: [program, ...args], baseImages: { node: baseImage }, allowsOwn: true },
        baseImage,
        call,
      };
    } catch (error) {
      missing = `${program} runs no container here: ${(error as Error).message}`;
    }
  }
  rmSync(place, { recursive: true, force: true });
  return { missing };
}

/** What runs depends on the machine's cgroups, and on what its disk can be mounted over. */
function enginesIn(place: string): readonly (readonly string[])[] {
  const named = process.env["SLIPWAY_TEST_ENGINE"];
  if (named !== undefined) return [named.split(" ")];
  // Where it notes that the machine has not been started anew: who resets another store would make it forget what runs.
  const notes = ["--tmpdir", join(place, "notes")];
  const folders = ["--root", join(place, "store"), "--runroot", join(place, "run"), ...notes];
  return [[], ["--runtime", "runc"], ["--runtime", "runc", "--storage-driver", "vfs"]].map((how) => [
    ...["podman", ...folders, ...how],
  ]);
}

/** No registry can be reached: the image has programs of this machine, with the libraries that they name. */
export function buildImageOf(
  call: (...args: string[]) => string,
  folder: string,
  image: string,
  programs: readonly string[],
  /** Other programs whose libraries it must have. */
  others: readonly string[] = [],
): void {
  const libraries = [...programs, ...others].flatMap((program) =>
    [...spawnSync("ldd", [program], { encoding: "utf8" }).stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path!),
  );
  for (const from of [...programs, ...libraries]) {
    const to = from === process.execPath ? "/usr/bin/node" : from;
    mkdirSync(join(folder, "root", dirname(to)), { recursive: true });
    copyFileSync(from, join(folder, "root", to));
  }
  for (const name of ["tmp", "etc"]) mkdirSync(join(folder, "root", name), { recursive: true });
  writeFileSync(join(folder, "Containerfile"), "FROM scratch\nCOPY root/ /\n");
  call("build", "--file", join(folder, "Containerfile"), "--tag", image, folder);
}
