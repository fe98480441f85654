import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isServer } from "../../../src/deployment/releases/index.ts";
import { documentOf, releaseStage, succeeded, typed } from "../../support/releases/stage.ts";

const hello = "def greet():\n    return 'hello'\n\ndef main():\n    print(greet())\n";

test("a Python package without a build tool becomes a wheel that pip installs", { tags: "long" }, async () => {
  const { write, publish, elsewhere } = await releaseStage();
  await write({
    "pyproject.toml":
      '[build-system]\nrequires = ["absent"]\nbuild-backend = "absent"\n\n[project]\nname = "Small-Greeter"\nversion = "1.2.0"\ndescription = "Greets."\n\n[project.scripts]\ngreet = "greeter:main"\n',
    "src/greeter/__init__.py": hello,
    "src/greeter/words.txt": "hello",
    "tests/test_greeter.py": "",
  });
  const { kind, usage, files } = succeeded(await publish(documentOf("library")));
  expect({ kind, files }).toEqual({
    kind: "package",
    files: [{ path: "Small_Greeter-1.2.0-py3-none-any.whl", type: "package" }],
  });
  const installed = await typed(usage, elsewhere, { PIP_TARGET: join(elsewhere, "packages") });
  expect(installed.exitCode, installed.stderr).toBe(0);
  const env = { PYTHONPATH: join(elsewhere, "packages") };
  expect((await typed("packages/bin/greet", elsewhere, env)).stdout).toBe("hello\n");
  expect(existsSync(join(elsewhere, "packages/greeter/words.txt"))).toBe(true);
});

test("a folder of Python without a manifest is a package too", async () => {
  const { write, publish, elsewhere } = await releaseStage();
  await write({ "greeter/__init__.py": `__version__ = "0.3"\n${hello}`, "tests/__init__.py": "" });
  const { usage } = succeeded(await publish(documentOf("library")));
  const wheel = usage.replace(/^pip install /, "");
  expect(wheel).toMatch(/small-0\.3-py3-none-any\.whl'$/);
  const program = "import greeter; print(greeter.greet())";
  expect((await typed(`PYTHONPATH=${wheel} python3 -c '${program}'`, elsewhere)).stdout).toBe("hello\n");
});

test("a command gets an executable file where its language has none", async () => {
  const node = await releaseStage();
  const manifest = { name: "@small/tool", version: "1.0.0", bin: "cli.js" };
  await node.write({ "package.json": JSON.stringify(manifest), "cli.js": "console.log(process.argv.slice(2))" });
  const inNode = succeeded(await node.publish(documentOf("cli")));
  expect((await typed(inNode.usage, node.elsewhere)).stdout).toBe("[ '--help' ]\n");
  // Through a link on the PATH, and with the package's own file in the way of the script.
  await node.write({ "bin/tool": "console.log(1)" });
  const again = succeeded(await node.publish(documentOf("cli")));
  const [program] = again.usage.split(" --help");
  expect((await typed(`ln -s ${program} tool && ./tool 'a b'`, node.elsewhere)).stdout).toBe("[ 'a b' ]\n");

  const python = await releaseStage();
  await python.write({
    "pyproject.toml": '[project]\nname = "greeter"\nversion = "1"\n[project.scripts]\ngreet = "greeter:main"\n',
    "greeter/__init__.py": hello,
  });
  const inPython = succeeded(await python.publish(documentOf("cli")));
  expect(inPython.kind).toBe("command");
  expect((await typed(inPython.usage, python.elsewhere)).stdout).toBe("hello\n");
});

test.skipIf(!hasProgram("go"))("a Go program becomes a command, a Go module a package", { tags: "long" }, async () => {
  const command = await releaseStage();
  const main = 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("hello") }\n';
  await command.write({ "go.mod": "module example.org/small\n", "main.go": main });
  const document = documentOf("cli");
  expect(isServer(document, { start: "go run ." })).toBe(false);
  const { kind, usage } = succeeded(await command.publish(document));
  expect(kind).toBe("command");
  expect((await typed(usage, command.elsewhere)).stdout).toBe("hello\n");

  const library = await releaseStage();
  const words = 'package words\n\nfunc Greet() string { return "hello" }\n';
  await library.write({ "go.mod": "module example.org/words\n", "words.go": words });
  const published = succeeded(await library.publish(documentOf("library")));
  const used = 'package main\n\nimport "example.org/words"\n\nfunc main() { println(words.Greet()) }\n';
  await writeFile(join(library.elsewhere, "main.go"), used);
  await writeFile(join(library.elsewhere, "go.mod"), "module example.org/user\n");
  const env = { GOPROXY: "off", GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" };
  const { exitCode, stderr } = await typed(`${published.usage} && go run .`, library.elsewhere, env);
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain("hello");
});

test("a model whose document promises no prediction is found by its program, with the row beside it", async () => {
  const { write, publish, elsewhere } = await releaseStage();
  const program = "import json, sys\nprint(json.dumps({'twice': json.load(sys.stdin)['x'] * 2}))\n";
  await write({ "predict.py": program, "examples/input.json": '{\n  "x": 21\n}\n' });
  const { kind, usage } = succeeded(await publish(documentOf("ml-pipeline")));
  expect(kind).toBe("model");
  expect((await typed(usage, elsewhere)).stdout).toBe('{"twice": 42}\n');
});

test("what is none of the known is an archive of its files", async () => {
  const { write, publish, elsewhere } = await releaseStage();
  await write({ "notes/one.txt": "one", "node_modules/a/index.js": "", ".git/config": "" });
  const { kind, usage } = succeeded(await publish(documentOf("library")));
  expect(kind).toBe("bundle");
  expect((await typed(`${usage} && find . -type f`, elsewhere)).stdout).toBe("./small/notes/one.txt\n");
});

function hasProgram(name: string): boolean {
  try {
    execFileSync("/usr/bin/env", ["PATH=/usr/local/bin:/usr/bin:/bin", "which", name]);
    return true;
  } catch {
    return false;
  }
}

test("no file of the result is replaced by one that publishing makes", { tags: "long" }, async () => {
  const own = {
    ...{ "small.tar.gz": "mine", "small.tgz": "mine", "examples/input.json": "mine" },
    ...{ ".slipway/small.tar.gz": "mine", ".slipway/pack/small.tgz": "mine", ".slipway/site-server.mjs": "mine" },
    ...{ "bin/small": "mine", ".slipway/small": "mine" },
  };
  const manifest = JSON.stringify({ name: "small", version: "1.0.0", main: "index.js" });
  const commands = [{ command: "python3 predict.py", stdin: '{ "row":\n 1 }' }];
  const results = [
    { document: documentOf("infrastructure"), files: { "main.tf": "" }, path: ".slipway/2/small.tar.gz" },
    { document: documentOf("web-app"), files: { "index.html": "" }, path: ".slipway/2/small.tar.gz" },
    {
      document: documentOf("library"),
      files: { "package.json": manifest, "index.js": "" },
      path: ".slipway/small.tgz",
    },
    {
      document: documentOf("ml-pipeline", { acceptance: { commands } }),
      files: { "predict.py": "print(input())\n" },
      path: ".slipway/2/small.tar.gz",
    },
  ];
  for (const { document, files, path } of results) {
    const { write, publish, folder } = await releaseStage();
    await write({ ...files, ...own });
    const published = succeeded(await publish(document));
    expect(published.files.map((file) => file.path)).toEqual([path]);
    for (const [name, text] of Object.entries(own)) expect(readFileSync(join(folder, name), "utf8"), name).toBe(text);
    if (published.kind === "model") expect(published.usage).toContain("/current/.slipway/input.json");
  }
});
