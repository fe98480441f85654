import { acceptanceLines, type CommandCheck, slugOf } from "@slipway/spec";
import { writeProjectFile } from "../../platform/project-files/index.ts";
import { packArchive } from "./pack-archive.ts";
import { freePlace, isFile, isObject, jsonOf, namesIn, textOf } from "./read-result.ts";
import type { Publish, ReleaseToPublish } from "./release.ts";
import { runProgram } from "./run-program.ts";
import { shellWord } from "./shell-word.ts";
import { writeWrapper } from "./write-wrapper.ts";

const maxPredictMs = 60_000;
const inputFile = "examples/input.json";

/** A model and the command that predicts with it, with a row to begin with. */
export const publishModel: Publish = async (deps, release) => {
  const promised = promisedPrediction(release);
  const command = promised?.command ?? (await findPredict(release));
  if (command === undefined) return undefined;
  const input = promised?.stdin ?? (await textOf(release, inputFile)) ?? "";
  const program = `cd -- "$here" && PYTHONDONTWRITEBYTECODE=1 exec sh -c ${shellWord(command)} predict "$@"`;
  const place = await writeWrapper(release, { name: "predict", program });
  const failed = await runProgram(deps, release, {
    ...{ name: `${place}`, command: `./${place}`, stdin: input, maxMs: maxPredictMs },
  });
  // A command that we only guessed says nothing about the result.
  if (failed !== undefined) return promised === undefined ? undefined : failed;
  const usage = await inputFor(release, place, input);
  const packed = await packArchive(release, { name: `${slugOf(release.document.id)}.tar.gz`, hasPackages: true });
  return "failure" in packed ? packed : { kind: "model", usage, files: [{ path: packed.path, type: "bundle" }] };
};

/** The line that gives a row to the program: written out if it is short and plain, from a file otherwise. */
async function inputFor(release: ReleaseToPublish, place: string, input: string): Promise<string> {
  const { folder, current, signal } = release;
  const program = shellWord(`${current}/${place}`);
  const row = input.trim();
  if (row === "") return program;
  // `echo` of some shells takes backslashes and options for its own.
  if (/^[ -~]{1,300}$/.test(row) && !row.includes("\\") && !row.startsWith("-"))
    return `echo '${quoted(row)}' | ${program}`;
  const isThere = (await textOf(release, inputFile)) === input;
  const path = isThere ? inputFile : await freePlace(release, inputFile);
  if (!isThere) await writeProjectFile(folder, path, input, { signal });
  return `${program} < ${shellWord(`${current}/${path}`)}`;
}

function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}

/** A line of the acceptance that predicts and must succeed: it has been run, with this input. */
function promisedPrediction({ document }: ReleaseToPublish): CommandCheck | undefined {
  const predictions = acceptanceLines(document)
    .flatMap(({ check }) => (check.kind === "command" && check.exitCode === 0 ? [check] : []))
    .filter(({ command }) => /\bpredict(?:ion)?\b/.test(command) && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(command));
  return predictions.find(({ stdin }) => stdin !== undefined) ?? predictions[0];
}

async function findPredict(release: ReleaseToPublish): Promise<string | undefined> {
  const scripts = (await jsonOf(release, "package.json"))?.["scripts"];
  if (isObject(scripts) && typeof scripts["predict"] === "string") return "npm run --silent predict";
  for (const path of ["predict.py", "src/predict.py"]) if (await isFile(release, path)) return `python3 ${path}`;
  for (const path of ["predict.js", "src/predict.js"]) if (await isFile(release, path)) return `node ${path}`;
  for (const name of await namesIn(release, ".", "folder"))
    if (/^[A-Za-z_]\w{0,63}$/.test(name) && (await isFile(release, `${name}/__main__.py`)))
      return `python3 -m ${name} predict`;
  return undefined;
}
