import { createHash } from "node:crypto";
import { constants, createReadStream, openAsBlob } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { uploadArtifact } from "@slipway/client";
import { type ServiceContext, textOf } from "../command.ts";
import { CommandError, type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { printable } from "../output/printable.ts";
import { byteSize } from "../output/quantities.ts";
import { toJson } from "../output/to-json.ts";

export async function putArtifact(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, options, signal, connection } = context;
  const [projectId = "", file = ""] = context.args;
  const type = textOf(options, "type") ?? "";
  const path = textOf(options, "path") ?? basename(file);
  const { content, sha256 } = await read(file);
  let uploadId = textOf(options, "resume");
  try {
    const upload = await uploadArtifact(client, content, {
      projectId,
      type,
      path,
      sha256,
      uploadId,
      mediaType: textOf(options, "mediaType"),
      signal,
      onProgress: ({ upload_id, offset, size_bytes }) => {
        if (size_bytes !== content.size)
          throw new UsageError(`the upload ${upload_id} expects ${size_bytes} bytes, but ${file} has ${content.size}`);
        uploadId = upload_id;
        terminal.live(`${byteSize(offset)} of ${byteSize(size_bytes)}`);
      },
    });
    terminal.live(undefined);
    if (options.json) terminal.out(toJson({ ...upload, sha256 }));
    else terminal.err(`${printable(upload.path)}: ${byteSize(upload.size_bytes)}`);
    return exitCode.ok;
  } catch (error) {
    terminal.live(undefined);
    if (uploadId !== undefined && !(error instanceof UsageError))
      terminal.err(
        `To resume: ${connection.commandLine("artifacts", "put", projectId, file, "--type", type, "--path", path, "--resume", uploadId)}`,
      );
    throw error;
  }
}

async function read(file: string): Promise<{ content: Blob; sha256: string }> {
  const hash = createHash("sha256");
  try {
    await requireRegular(file);
    const content = await openAsBlob(file);
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    return { content, sha256: hash.digest("hex") };
  } catch (error) {
    throw new CommandError(exitCode.usage, `cannot read ${printable(file)}: ${(error as Error).message}`);
  }
}

/** A pipe would be waited for without end, even past an interruption: its opening takes a thread that nothing ends. */
async function requireRegular(path: string): Promise<void> {
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  await using file = await open(path, O_RDONLY | O_NONBLOCK);
  if (!(await file.stat()).isFile()) throw new Error("it is not a regular file");
}
