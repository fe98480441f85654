import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findOutcomeType } from "@slipway/blueprints";
import { acceptanceLines, type CompleteSpec, parseSpec, planWork, resolveSpec } from "@slipway/spec";
import { expect, onTestFinished } from "vitest";
import {
  type PublishedRelease,
  type PublishFailure,
  pointCurrent,
  publishRelease,
} from "../../../src/deployment/releases/index.ts";
import { createSandbox } from "../../../src/platform/sandbox/index.ts";
import { ampleLimits } from "../ample-limits.ts";

type Files = Readonly<Record<string, string | { readonly text: string; readonly isExecutable: true }>>;

interface Scripts {
  readonly build?: string;
  readonly start?: string;
}

const sandbox = await createSandbox({ dataFolder: join(tmpdir(), `slipway-releases-${process.pid}`) });

/** A folder for releases, with a name that must be quoted, and an empty one in which people work. */
export async function releaseStage() {
  const place = await mkdtemp(join(tmpdir(), "slipway's releases "));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  const [folder, current, elsewhere] = ["versions/1", "current", "elsewhere"].map((name) => join(place, name));
  await mkdir(folder!, { recursive: true });
  await mkdir(elsewhere!);
  const { signal } = new AbortController();
  const limits = { ...ampleLimits, limitMs: 120_000, signal };
  const write = (files: Files) => writeFiles(folder!, files);
  const publish = async (document: CompleteSpec, more: { readonly secrets?: Record<string, string> } = {}) => {
    const release = { document, folder: folder!, current: current!, limits: ampleLimits, limitMs: 120_000, signal };
    const published = await publishRelease({ sandbox }, { ...release, ...more });
    if (!("failure" in published)) await pointCurrent(current!, folder!);
    return published;
  };
  /** Writes what a blueprint makes of a document. */
  const writeDocument = async (text: string) => {
    const { document, files } = await buildDocument(text);
    await write(files);
    const scripts: Scripts = JSON.parse(await readFile(join(folder!, ".slipway/scripts.json"), "utf8"));
    return { document, ...scripts };
  };
  /** Builds a document as the service does, up to the release. */
  const publishDocument = async (text: string) => {
    const { document, build = "true" } = await writeDocument(text);
    const end = await sandbox.runCommand({ command: build, folder: folder!, env: {} }, limits);
    expect(end.exitCode, end.output).toBe(0);
    return succeeded(await publish(document));
  };
  const publishExample = async (name: string, change: (text: string) => string = (text) => text) =>
    publishDocument(change(await readExample(name)));
  const writeExample = async (name: string) => writeDocument(await readExample(name));
  return {
    writeExample,
    publishDocument,
    sandbox,
    folder: folder!,
    current: current!,
    elsewhere: elsewhere!,
    write,
    publish,
    publishExample,
  };
}

/** What came out, if publishing did not fail. */
export function succeeded(published: PublishedRelease | PublishFailure): PublishedRelease {
  if ("failure" in published) throw new Error(`${published.failure}\n${published.output}`);
  return published;
}

/** A document of a type, with the fields that it must have. */
export function documentOf(outcomeType: string, fields: object = {}): CompleteSpec {
  const base = { spec_version: "1.0.0", id: "small", name: "Small", description: "Something small.", stack: {} };
  const { document } = parseSpec(JSON.stringify({ ...base, outcome_type: outcomeType, acceptance: {}, ...fields }));
  return resolveSpec(document!).document;
}

/** Types a line into a shell, as a person would: without the sandbox, and without a network for installers. */
export async function typed(line: string, folder: string, env: Readonly<Record<string, string>> = {}) {
  const offline = {
    npm_config_offline: "true",
    npm_config_audit: "false",
    npm_config_fund: "false",
    PIP_NO_INDEX: "1",
  };
  return new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: folder, env: { ...process.env, NODE_OPTIONS: "", ...offline, ...env } };
    const child = execFile("/bin/sh", ["-c", line], options, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end();
  });
}

async function readExample(name: string): Promise<string> {
  return readFile(new URL(`../../../../../examples/${name}.yaml`, import.meta.url), "utf8");
}

async function buildDocument(text: string): Promise<{ document: CompleteSpec; files: Files }> {
  const { document } = resolveSpec(parseSpec(text).document!);
  const files: Record<string, Files[string]> = {};
  const textOf = (file: Files[string] | undefined) => (typeof file === "object" ? file.text : file);
  const workspace = {
    document,
    read: async (path: string) => textOf(files[path]),
    write: async (path: string, content: string | Uint8Array, { isExecutable = false } = {}) => {
      const written = Buffer.from(content as string).toString("latin1");
      files[path] = isExecutable ? { text: written, isExecutable } : written;
    },
  };
  const lines = acceptanceLines(document);
  const type = findOutcomeType(document.outcome_type)!;
  for (const task of planWork(document).tasks.filter(({ phase }) => phase === "implementation")) {
    const { id, title, phase, description } = task;
    const served = lines.filter(({ pointer }) => task.serves.includes(pointer));
    await type.build({ id, title, phase, ...(description !== undefined && { description }), lines: served }, workspace);
  }
  return { document, files };
}

/** Texts are Latin-1, so that files of bytes can stand among them. */
async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [path, file] of Object.entries(files)) {
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, typeof file === "string" ? file : file.text, "latin1");
    if (typeof file === "object") await chmod(place, 0o755);
  }
}
