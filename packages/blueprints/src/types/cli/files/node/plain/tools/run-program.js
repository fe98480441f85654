import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "#src/command-line.js";
import { program } from "#src/program.js";

/** Runs a command line in this process, for tests, and gives what it printed. */
export async function runProgram(words, { env = {}, input = "" } = {}) {
  let output = "";
  let errors = "";
  const exitCode = await main(words, {
    env,
    write: (text) => {
      output += text;
    },
    writeError: (text) => {
      errors += text;
    },
    readInput: async () => input,
  });
  return { exitCode, output, errors };
}

/** A folder that is gone after the test. */
export async function temporaryFolder(t) {
  const folder = await mkdtemp(join(tmpdir(), "cli-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs command lines one after the other on the same data, and checks what comes of each. */
export async function runSteps(t, { stored, steps }) {
  const file = join(await temporaryFolder(t), "data.json");
  if (stored?.length > 0) await writeFile(file, JSON.stringify({ lastId: stored.length, records: stored }));
  const env = stored === undefined ? {} : { [program.dataFile.variable]: file };
  for (const { words, input, ends, json, output = "", errors = "" } of steps) {
    const result = await runProgram(words, { env, input });
    assert.equal(result.exitCode, program.exitCodes[ends], result.errors);
    if (json !== undefined) assertHas(JSON.parse(result.output), json);
    assert.ok(result.output.includes(output), result.output);
    assert.ok(result.errors.includes(errors), result.errors);
  }
}

/** Of maps only the keys that are named must be the same. */
function assertHas(actual, expected) {
  if (Array.isArray(expected)) {
    assert.equal(actual.length, expected.length);
    for (const [index, value] of expected.entries()) assertHas(actual[index], value);
  } else if (typeof expected === "object" && expected !== null)
    for (const [name, value] of Object.entries(expected)) assertHas(actual[name], value);
  else assert.equal(actual, expected);
}
