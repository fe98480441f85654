import { posix } from "node:path";
import { FileRefusal, keepInPlace, listProjectFolder, readProjectFile } from "../../platform/project-files/index.ts";
import { filesInside } from "./container-plan.ts";
import type { ContainerEngine } from "./find-engine.ts";

/** What an image is built by. */
export interface Containerfile {
  readonly text: string;
  /** The project brought it; else it is one of ours. */
  readonly isOwn: boolean;
  /** It says how its program starts. */
  readonly startsItself: boolean;
  /** The project brought one that the operator does not let it use. */
  readonly isOwnLeftOut?: true;
}

interface ToContain {
  readonly folder: string;
  /** How its program is started, where the file does not say. */
  readonly command: string;
  readonly signal: AbortSignal;
}

export interface FileSettings {
  /** What images of ours are made from, by language. */
  readonly baseImages: Readonly<Record<string, string>>;
  /** Whether files that projects bring may be built: their lines run with the engine's rights. */
  readonly allowsOwn: boolean;
}

const ownNames = ["Containerfile", "Dockerfile"];
const maxBytes = 256 * 1024;

/** The project's own file for an image, else one of ours for its language. */
export async function chooseContainerfile(
  { baseImages, allowsOwn }: FileSettings,
  toContain: ToContain,
): Promise<Containerfile | { readonly failure: string }> {
  const own = await firstTextOf(toContain.folder, ownNames, toContain.signal);
  if (own !== undefined && allowsOwn) return { text: own, isOwn: true, startsItself: hasCommand(own) };
  const language = await languageOf(toContain);
  const base = language && baseImages[language];
  if (base === undefined) return { failure: noImage(allowsOwn, language) };
  const text = await render(toContain, language!, base);
  return { text, isOwn: false, startsItself: false, ...(own !== undefined && { isOwnLeftOut: true }) };
}

/** What each engine looks for, the first before the others. It opens them by their names: a pipe would hold it up. */
const ignoreFiles: Readonly<Record<ContainerEngine["kind"], readonly string[]>> = {
  podman: [".containerignore", ".dockerignore"],
  docker: [".dockerignore"],
};
const allIgnoreFiles = Object.values(ignoreFiles).flat();

/**
 * Why an engine must not take its files from a part of a project's folder, such as a link; undefined if it may. From then on
 * nobody exchanges that for one, such as a program of another run that was sent the folder.
 */
export async function whyNoContext(folder: string, path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    // The engine goes there by the path, later.
    await keepInPlace(folder, path, { signal });
    const entries = await listProjectFolder(folder, path, { skipsOddNames: true, signal });
    const found = entries.filter(({ name }) => allIgnoreFiles.includes(name));
    const odd = found.find(({ kind }) => kind !== "file");
    if (odd !== undefined) return `${odd.name} is not a regular file. Remove it, or make it one.`;
    // The engine takes many times their size of memory, which nobody limits.
    for (const { name } of found) await readProjectFile(folder, posix.join(path, name), { maxBytes, signal });
    return undefined;
  } catch (error) {
    if (error instanceof FileRefusal) return error.message;
    throw error;
  }
}

/** What a project leaves out of its images: as text, for its file may be exchanged for one that fills the engine's memory. */
export async function ignoredIn(
  folder: string,
  { kind }: Pick<ContainerEngine, "kind">,
  signal: AbortSignal,
): Promise<string> {
  return (await firstTextOf(folder, ignoreFiles[kind], signal)) ?? "";
}

/** Only of its last stage: base images have commands that serve nothing. */
function hasCommand(text: string): boolean {
  const stages = text.split(/^[ \t]*FROM[ \t]/im);
  return /^[ \t]*(CMD|ENTRYPOINT)[ \t]/im.test(stages.at(-1)!);
}

const byCommand: readonly (readonly [language: string, programs: RegExp])[] = [
  ["python", /(^|[\s/;&|])(python3?|uvicorn|gunicorn|flask|hypercorn)(\s|$)/],
  ["node", /(^|[\s/;&|])(node|npm|npx|yarn|pnpm)(\s|$)/],
];
const byFile = [
  ["package.json", "node"],
  ["pyproject.toml", "python"],
  ["requirements.txt", "python"],
] as const;

async function languageOf({ folder, command, signal }: ToContain): Promise<string | undefined> {
  const named = byCommand.find(([, programs]) => programs.test(command))?.[0];
  if (named !== undefined) return named;
  for (const [file, language] of byFile) if ((await textOf(folder, file, signal)) !== undefined) return language;
  return undefined;
}

/** Its files belong to whoever runs it, because some builds make files that nobody else can read. */
async function render({ folder, signal }: ToContain, language: string, base: string): Promise<string> {
  const needs = language === "python" && (await textOf(folder, "requirements.txt", signal)) !== undefined;
  return [
    `FROM ${base}`,
    "ARG SLIPWAY_UID=1000",
    "ARG SLIPWAY_GID=1000",
    `WORKDIR ${filesInside}`,
    "COPY --chown=$SLIPWAY_UID:$SLIPWAY_GID . .",
    ...(needs ? ["RUN pip install --no-cache-dir --requirement requirements.txt"] : []),
    "",
  ].join("\n");
}

function noImage(allowsOwn: boolean, language: string | undefined): string {
  if (language !== undefined)
    return `There is no base image for ${language}: the setting container_base_images names them.`;
  const own = allowsOwn ? "Give the project a Dockerfile" : "The operator does not let projects bring Dockerfiles";
  return `No base image fits the result, which is neither Node nor Python. ${own}, or deploy with 'process'.`;
}

async function firstTextOf(folder: string, names: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  for (const name of names) {
    const text = await textOf(folder, name, signal);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Undefined if there is no such regular file; a file that is too large is a mistake that the engine would make. */
async function textOf(folder: string, path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await readProjectFile(folder, path, { maxBytes, signal })).toString("utf8");
  } catch (error) {
    if (error instanceof FileRefusal && error.code !== "stuck") return undefined;
    throw error;
  }
}
