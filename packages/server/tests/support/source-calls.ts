import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packFolder, unpackFolder } from "../../src/platform/archive/index.ts";
import { createProject, type TestApp, unbuildableDocument } from "./test-app.ts";
import { doWork } from "./workspaces/test-workspaces.ts";

type Files = Record<string, string>;

/** The files as the body of a request. */
export async function archiveOf(files: Files | ((folder: string) => unknown)): Promise<Buffer> {
  return inFolder(async (folder) => {
    await doWork(folder, files);
    return Buffer.concat(await Array.fromAsync(packFolder(folder)));
  });
}

/** The files of an archive, by path. */
export async function filesOf(archive: Uint8Array): Promise<Files> {
  return inFolder(async (folder) => {
    await unpackFolder(piece(archive), folder);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return Object.fromEntries(
      await Promise.all(files.map(async (file) => [file.slice(folder.length + 1), await readFile(file, "utf8")])),
    );
  });
}

export async function applicationOf({ call }: Pick<TestApp, "call">, projectId: string): Promise<string> {
  return (await call({ url: `/api/v1/projects/${projectId}` })).json<{ application_id: string }>().application_id;
}

/** The files that the next run of a project's application begins from; or those of the project itself. */
export async function getSource(app: Pick<TestApp, "call">, projectId: string, { itself = false } = {}) {
  const query = itself ? `?project_id=${projectId}` : "";
  const answer = await app.call({ url: `/api/v1/applications/${await applicationOf(app, projectId)}/source${query}` });
  if (answer.statusCode !== 200) throw new Error(answer.payload);
  return filesOf(answer.rawPayload);
}

export async function putSource(
  app: Pick<TestApp, "call">,
  projectId: string,
  files: Files | ((folder: string) => unknown),
  headers: Record<string, string> = {},
) {
  return app.call({
    method: "PUT",
    url: `/api/v1/applications/${await applicationOf(app, projectId)}/source`,
    headers: { "content-type": "application/x-tar", ...headers },
    payload: await archiveOf(files),
  });
}

/** How the endpoints of a source are called so that they succeed. */
export function sourceCalls(app: TestApp) {
  const headers = { "content-type": "application/x-tar" };
  const payload = () => archiveOf({ "README.md": "mine\n" });
  const own = async () => applicationOf(app, await createProject(app, unbuildableDocument(`own-${Math.random()}`)));
  return {
    putSource: async () => ({ param: await own(), headers, payload: await payload() }),
    readSource: async () => {
      const param = await own();
      await app.call({
        method: "PUT",
        url: `/api/v1/applications/${param}/source`,
        headers,
        payload: await payload(),
      });
      return { param };
    },
  };
}

async function* piece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-source-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
