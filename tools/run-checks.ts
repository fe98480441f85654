/**
 * Looks at types, style and dead code, all at once: `npm run checks`. With `--fetch`, it gets the programs that tests need
 * meanwhile, which mostly waits for the network and the disk.
 */
import { spawn } from "node:child_process";
import { fetchPrograms } from "./fetch-programs.ts";

const checks = ["types", "lint", "deadcode"];

/** Tells whether all is well as soon as that is known, and what is not. */
async function check(name: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const child = spawn("npm", ["run", "--silent", name], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  child.on("error", reject).on("close", (code) => resolve(code === 0));
  const isWell = await promise;
  console.log(`${name}: ${isWell ? "well" : `not well\n${output}`}`);
  if (!isWell) process.exitCode = 1;
}

const fetching = process.argv.includes("--fetch") ? [fetchPrograms()] : [];
await Promise.all([...checks.map(check), ...fetching]);
