import { Readable } from "node:stream";
import type { Client } from "@slipway/client";
import { findApplication } from "../apps/find-app.ts";
import type { ServiceContext } from "../command.ts";
import { CommandError, type ExitCode, exitCode } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { byteSize, count } from "../output/quantities.ts";
import type { Terminal } from "../output/terminal.ts";
import { packFolder, unpackFolder } from "./archive-folder.ts";

/** An application, and the project that named it. */
interface Target {
  readonly applicationId: string;
  readonly projectId?: string;
}

/** Downloads the files that the next run starts from, or those of a project, into a new folder. */
export async function getSource(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, signal } = context;
  const [, folder = ""] = context.args;
  const { applicationId, projectId } = await findTarget(context);
  terminal.live("fetching the files");
  const response = await client.send("readSource", {
    params: { application_id: applicationId },
    ...(projectId !== undefined && { query: { project_id: projectId } }),
    signal,
  });
  const files = await unpackFolder(Readable.from(response.body as AsyncIterable<Uint8Array>), folder, signal);
  terminal.live(undefined);
  const result = { application_id: applicationId, project_id: projectId ?? null, folder, files };
  print(context, result, () => `Wrote ${count(files, "file")} to ${folder}.`);
  return exitCode.ok;
}

/** Uploads the files of a folder; the next run starts from them. */
export async function putSource(context: ServiceContext): Promise<ExitCode> {
  const [, folder = ""] = context.args;
  const put = await sendSource(context, await findTarget(context), folder);
  print(
    context,
    put,
    () => `Uploaded ${count(put.files, "file")} (${byteSize(put.size_bytes)}). The next run starts from them.`,
  );
  return exitCode.ok;
}

/** Uploads the files of a folder for the application of a document. */
export async function putSourceOf(
  context: { readonly client: Client; readonly terminal: Terminal; readonly signal: AbortSignal },
  document: Uint8Array<ArrayBuffer>,
  { environment, team }: { readonly environment?: string; readonly team?: string },
  folder: string,
): Promise<void> {
  const { client, signal } = context;
  const query = {
    dry_run: true,
    ...(environment !== undefined && { environment }),
    ...(team !== undefined && { team }),
  };
  const plan = await client.call("createProject", { document, query, signal });
  const applicationId = "application_id" in plan ? plan.application_id : null;
  if (applicationId === null)
    throw new CommandError(exitCode.refused, "no document with this id has run yet: run it once without --source");
  await sendSource(context, { applicationId }, folder);
}

async function sendSource(
  { client, terminal, signal }: Pick<ServiceContext, "client" | "terminal" | "signal">,
  { applicationId, projectId }: Target,
  folder: string,
) {
  terminal.live(`packing ${folder}`);
  const bytes = await packFolder(folder, signal);
  terminal.live(`uploading ${byteSize(bytes.length)}`);
  const put = await client.call("putSource", {
    params: { application_id: applicationId },
    ...(projectId !== undefined && { query: { project_id: projectId } }),
    bytes,
    signal,
  });
  terminal.live(undefined);
  return put;
}

/** An application, by its id or its document's id; or one of its projects. */
async function findTarget(context: ServiceContext): Promise<Target> {
  const [id = ""] = context.args;
  const applicationId = id.startsWith("app_") ? id : await findApplication(context);
  return { applicationId, ...(id.startsWith("proj_") && { projectId: id }) };
}
