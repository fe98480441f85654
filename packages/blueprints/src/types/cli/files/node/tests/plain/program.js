import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { completionScript } from "#src/completion.js";
import { loadCommands } from "#src/load-commands.js";
import { globalOptions, program } from "#src/program.js";
import { runProgram, temporaryFolder } from "#tools/run-program.js";

test("help names every command, and each command has its own", async () => {
  const { exitCode, output } = await runProgram(["--help"]);
  assert.equal(exitCode, program.exitCodes.ok);
  for (const { name, summary } of (await loadCommands()).values()) {
    assert.ok(output.includes(name), name);
    const own = await runProgram([name, "--help"]);
    assert.equal(own.exitCode, program.exitCodes.ok);
    assert.ok(own.output.includes(summary) && own.output.includes("Usage:"), name);
    assert.equal((await runProgram(["help", name])).output, own.output);
  }
});

test("the version is printed", async () => {
  assert.deepEqual(await runProgram(["--version"]), {
    exitCode: program.exitCodes.ok,
    output: `${program.version}\n`,
    errors: "",
  });
});

test("without a command the help is shown, and wrong usage is refused", async () => {
  const bare = await runProgram([]);
  if (program.exitCodes.bare !== undefined) {
    assert.equal(bare.exitCode, program.exitCodes.bare);
    assert.ok((bare.output + bare.errors).includes("Usage:"));
  }
  if (program.defaultCommand === undefined) {
    const unknown = await runProgram(["no-such-command"]);
    assert.equal(unknown.exitCode, program.exitCodes.usage);
    assert.ok(unknown.errors.includes("no-such-command"));
  }
  assert.equal((await runProgram(["help", "no-such-command"])).exitCode, program.exitCodes.usage);
  const option = await runProgram(["--no-such-option"]);
  assert.equal(option.exitCode, program.exitCodes.usage);
  assert.ok(option.errors.includes("--no-such-option"));
});

test("every shell gets a script for completion", async () => {
  const commands = await loadCommands();
  for (const shell of ["bash", "zsh", "fish"]) {
    const script = completionScript(shell, commands);
    assert.ok(script.includes("complet") || script.includes("compdef"));
    assert.ok(script.includes(program.name));
    for (const { name } of globalOptions) assert.ok(script.includes(name), `${shell} ${name}`);
  }
  assert.throws(() => completionScript("cmd", commands), /shell must be one of/);
});

test("a config file gives values of options, and is told when it is wrong", async (t) => {
  const file = join(await temporaryFolder(t), "config.json");
  const env = { [program.configVariable]: file };
  const { name } = [...(await loadCommands()).values()].find((command) => command.arguments[0]?.name === "shell");
  await writeFile(file, '{ "json": true }');
  const asJson = await runProgram([name, "bash"], { env });
  assert.equal(JSON.parse(asJson.output).shell, "bash");
  assert.equal((await runProgram([name, "bash", "--config", file])).output, asJson.output);
  await writeFile(file, '{ "format": "csv" }');
  assert.match((await runProgram([name, "bash"], { env })).output, /^shell,script\nbash,/);
  for (const wrong of ['{ "json": "yes" }', '{ "format": "tsv" }', '{ "format": true }', "null", "{"]) {
    await writeFile(file, wrong);
    const { exitCode, errors } = await runProgram([name, "bash"], { env });
    assert.equal(exitCode, program.exitCodes.failed);
    assert.ok(errors.includes(file));
  }
});

test("the program starts as a process of its own", () => {
  const file = fileURLToPath(import.meta.resolve(`#bin/${program.name}`));
  const { status, stdout } = spawnSync(process.execPath, [file, "--version"], { encoding: "utf8" });
  assert.equal(status, program.exitCodes.ok);
  assert.equal(stdout, `${program.version}\n`);
});
