import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const source = (path: string) => JSON.stringify(new URL(`../../src/platform/${path}`, import.meta.url).href);

const uses = {
  "to measure a folder": {
    imports: `import { DiskMeter } from ${source("sandbox/folder-size.ts")};`,
    use: `new DiskMeter({ folders: ["/usr/bin"], shared: [], openFiles: async () => [] }).measure(new AbortController().signal)`,
  },
  "of git": {
    imports: `import { startGit } from ${source("git/run-git.ts")};`,
    use: `startGit({ gitDir: "/", limitMs: 60_000 }, ["version"]).done`,
  },
};

test.for(Object.entries(uses))(
  "without a file left to open, a program %s fails, and the service goes on",
  async ([, { imports, use }]) => {
    const script = `
    import { openSync } from "node:fs";
    ${imports}
    const ask = async () => ${use};
    try {
      for (;;) openSync("/dev/null");
    } catch {}
    const code = await ask().then(() => "none", (error) => error.code);
    await new Promise((resolve) => setTimeout(resolve));
    console.log("goes on after", code);
  `;
    const command = 'ulimit -n 60 && exec "$0" --no-warnings --input-type=module -e "$1"';
    const { stdout } = await run("sh", ["-c", command, process.execPath, script]);
    expect(stdout).toBe("goes on after EMFILE\n");
  },
);
