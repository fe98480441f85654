import { realpath } from "node:fs/promises";
import { FileRefusal, readProjectFile } from "../../platform/project-files/index.ts";
import { removeFolder } from "../../platform/remove-folder.ts";
import type { TemporaryFolders } from "../../platform/temporary-folders.ts";
import { type Found, readBounded } from "../reading/read-bounded.ts";
import type { Readers } from "../reading/readers.ts";
import { maxReportBytes } from "./test-case.ts";

/** A new folder for the reports of one run: nothing that the project brought along can lie in it. */
export interface ReportFolder {
  readonly path: string;
  /** A report as text; undefined if the run did not write it. */
  read(name: string): Promise<string | undefined>;
  /** What a report says; undefined if the run did not write it, or something else. */
  readAs<Reader extends ReportReader>(
    name: string,
    reader: Reader,
    ...options: OptionsOf<Reader>
  ): Promise<Found<Reader> | undefined>;
}

type ReportReader = Exclude<keyof Readers, "components" | "sbom" | "lockedVersions" | "coverageOfFiles">;
type OptionsOf<Reader extends ReportReader> =
  Parameters<Readers[Reader]> extends [text: string, ...options: infer Options] ? Options : never;

/** Makes a folder for reports, and removes it after the work. */
export async function withReportFolder<T>(
  temporary: Pick<TemporaryFolders, "make">,
  signal: AbortSignal,
  work: (reports: ReportFolder) => Promise<T>,
): Promise<T> {
  const path = await temporary.make("tests");
  const read = async (name: string) => {
    const bytes = await readProjectFile(path, name, { maxBytes: maxReportBytes, signal }).catch((error: unknown) => {
      if (error instanceof FileRefusal && error.code === "missing") return undefined;
      throw error;
    });
    return bytes?.toString("utf8");
  };
  const readAs: ReportFolder["readAs"] = (name, reader, ...options) =>
    read(name).then((text) => {
      if (text === undefined) return undefined;
      const args = [text, ...options] as unknown as Parameters<Readers[typeof reader]>;
      return readBounded(reader, args, { path: name, signal });
    });
  try {
    return await work({ path, read, readAs });
  } finally {
    await removeFolder(path).catch(() => undefined);
  }
}

/** Where a folder really lies: programs name their files from there on. */
export function realPathOf(folder: string): Promise<string> {
  return realpath(folder);
}
