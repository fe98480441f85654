import { mkdir, readlink, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { currentFolder, pointCurrent } from "../../../src/deployment/releases/index.ts";
import { documentOf, releaseStage, succeeded, typed } from "../../support/releases/stage.ts";

test("names that a project chose cannot leave the line, the shell's word or the folder", { tags: "long" }, async () => {
  const evil = ["$(touch pwned)", "a;touch pwned", "../../up", "a\ntouch pwned", "-rf", "`touch pwned`", "\u202eabc"];
  const bin = Object.fromEntries(
    evil.flatMap((name) => [
      [name, "cli.js"],
      [`x${evil.indexOf(name)}`, `../${name}`],
    ]),
  );
  for (const name of evil.slice(0, 2)) {
    const { write, publish, elsewhere, current } = await releaseStage();
    await write({ "package.json": JSON.stringify({ name, version: "1.0.0", bin }), "cli.js": "" });
    const { usage } = succeeded(await publish(documentOf("cli", { id: "plain" })));
    expect(usage).toBe(`npm install '${current.replaceAll("'", `'\\''`)}/plain.tgz'`);
    await typed(usage, elsewhere);
    expect((await typed("ls", elsewhere)).stdout).not.toContain("pwned");
  }
});

test("a row of a prediction is data in the line, whatever is in it", { tags: "long" }, async () => {
  const rows = [`{"x": "'; touch pwned; '"}`, '{"x": "$(touch pwned)"}', '{"x": "a\\nb"}', "-n x", '{"x":\n "y"}'];
  for (const stdin of rows) {
    const { write, publish, elsewhere } = await releaseStage();
    await write({ "predict.py": "import sys\nprint(sys.stdin.read().strip())\n" });
    const commands = [{ command: "python3 predict.py", stdin }];
    const { usage } = succeeded(await publish(documentOf("ml-pipeline", { acceptance: { commands } })));
    expect(usage).not.toContain("\n");
    expect((await typed(usage, elsewhere)).stdout).toBe(`${stdin}\n`);
    expect((await typed("ls", elsewhere)).stdout).toBe("");
  }
});

test("links of a result lead nowhere: not what is read, not what is written, not what is packed", async () => {
  const { write, publish, folder, elsewhere } = await releaseStage();
  await writeFile(join(elsewhere, "secret.txt"), "secret");
  await write({ "README.md": "small" });
  await symlink(elsewhere, join(folder, "bin"));
  await symlink(join(elsewhere, "secret.txt"), join(folder, "package.json"));
  await symlink("../../elsewhere/secret.txt", join(folder, "out.txt"));
  await symlink("README.md", join(folder, "in.txt"));
  // Each stays inside by its text; the second leaves by way of the first.
  await mkdir(join(folder, "d"));
  await symlink("..", join(folder, "d/up"));
  await symlink("up/../elsewhere/secret.txt", join(folder, "d/out.txt"));
  await symlink(".git/config", join(folder, "git.txt"));
  const { kind, usage } = succeeded(await publish(documentOf("cli")));
  expect(kind).toBe("bundle");
  expect((await typed(`${usage} && ls small small/d`, elsewhere)).stdout).toBe(
    "small:\nREADME.md\nd\nin.txt\n\nsmall/d:\nup\n",
  );

  await write({ "tool/__main__.py": "print('hello')" });
  const command = succeeded(await publish(documentOf("cli")));
  expect(command.usage).toContain(".slipway/small");
  await rm(join(folder, ".slipway"), { recursive: true });
  await symlink(elsewhere, join(folder, ".slipway"));
  expect(await publish(documentOf("cli"))).toMatchObject({ failure: expect.stringContaining("'.slipway' is a link") });
  expect((await typed("ls", elsewhere)).stdout).toBe("secret.txt\nsmall\n");
});

test("a release with the value of a secret is refused, whatever it is packed as", async () => {
  const secrets = { API_KEY: "correct-horse-battery" };
  const failure = expect.stringContaining("contains the value of a secret");
  const npm = await releaseStage();
  await npm.write({ "package.json": '{ "name": "small", "version": "1.0.0" }', "index.js": secrets.API_KEY });
  expect(await npm.publish(documentOf("library"), { secrets })).toMatchObject({ failure });
  const wheel = await releaseStage();
  await wheel.write({ "small/__init__.py": `key = "${secrets.API_KEY}"` });
  expect(await wheel.publish(documentOf("library"), { secrets })).toMatchObject({ failure });
  const bundle = await releaseStage();
  await bundle.write({ "notes.txt": Buffer.from(secrets.API_KEY).toString("base64") });
  expect(await bundle.publish(documentOf("library"), { secrets })).toMatchObject({ failure });
});

test("a secret is found where only its line names it, because a program has removed it from the files since", async () => {
  const secrets = { API_KEY: "correct-horse-battery" };
  const failure = expect.stringContaining("contains the value of a secret");
  const model = await releaseStage();
  const predict = 'import sys\nopen("examples/input.json", "w").close()\nprint(1)\n';
  await model.write({ "predict.py": predict, "examples/input.json": `{"token":"${secrets.API_KEY}"}` });
  expect(await model.publish(documentOf("ml-pipeline"), { secrets })).toMatchObject({ failure });
  const short = await releaseStage();
  await short.write({ "predict.py": "print(1)\n", "examples/input.json": '{"pin":"4711"}' });
  const { usage } = succeeded(await short.publish(documentOf("ml-pipeline"), { secrets: { PIN: "4711" } }));
  expect(usage).not.toContain("4711");
});

test("what the service adds has a place of its own, however many the result has taken", async () => {
  const { write, publish, elsewhere } = await releaseStage();
  const taken = [".slipway", ...Array.from({ length: 999 }, (_, index) => `.slipway/${index + 2}`)];
  const paths = ["small.tar.gz", ...taken.map((folder) => `${folder}/small.tar.gz`)];
  await write(Object.fromEntries(paths.map((path) => [path, "own"])));
  const { usage, files } = succeeded(await publish(documentOf("infrastructure")));
  expect(paths).not.toContain(files[0]!.path);
  await typed(usage, elsewhere);
  const kept = await typed("cat small/small.tar.gz small/.slipway/1000/small.tar.gz", elsewhere);
  expect(kept.stdout).toBe("ownown");
});

test("a release that is too large to store is refused before it fills the memory", async () => {
  const { write, publish, folder } = await releaseStage();
  await write({ "data.bin": "" });
  await truncate(join(folder, "data.bin"), 2 ** 40);
  const failure = expect.stringContaining("is larger than");
  expect(await publish(documentOf("library"))).toMatchObject({ failure });
});

test("current leads to the old release or to the new one at every moment", async () => {
  const { current } = await releaseStage();
  const versions = ["1", "2"].map((name) => join(current, "..", "versions", name));
  await mkdir(versions[1]!);
  expect(await currentFolder(current)).toBeUndefined();
  await pointCurrent(current, versions[0]!);
  let isDone = false;
  const switching = (async () => {
    for (let count = 1; count <= 200; count += 1) await pointCurrent(current, versions[count % 2]!);
    isDone = true;
  })();
  while (!isDone) expect(await readlink(current)).toMatch(/^versions\/[12]$/);
  await switching;
  expect(await currentFolder(current)).toBe(versions[0]);
});

test("a command that breaks a limit when it is asked for help is not published, and the limit is named", {
  tags: "long",
}, async () => {
  const { write, publish } = await releaseStage();
  const text = "#!/bin/sh\nfor i in $(seq 2000); do sleep 1000 & done; wait\n";
  await write({ "bin/tool": { text, isExecutable: true } });
  expect(await publish(documentOf("cli"))).toMatchObject({
    failure: expect.stringMatching(
      /^Process killed due to process limit exceeded\. bin\/tool --help started \d+ processes, limit was \d+\. Start fewer/,
    ),
  });
});
