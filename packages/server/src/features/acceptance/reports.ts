import type { AcceptanceReport } from "@slipway/contract";
import { findLineNumbers } from "@slipway/spec";
import { type ReportSources, reportPath } from "../../engine/execution/index.ts";
import type { BlobStore } from "../../platform/blobs/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { findSubmission } from "../projects/index.ts";
import { findDigest, findPreviousDigest } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly blobs: Pick<BlobStore, "read">;
}

/** Reads the reports that verification has stored as artifacts. */
export function createReports({ db, blobs }: Deps): ReportSources {
  const read = async (digest: string | undefined): Promise<AcceptanceReport | undefined> => {
    return digest === undefined
      ? undefined
      : (JSON.parse((await blobs.read(digest)).toString("utf8")) as AcceptanceReport);
  };
  return {
    lineNumbers: async (projectId, pointers) => {
      const found = await findSubmission(db, projectId);
      return found === undefined ? new Map() : findLineNumbers(found.content, pointers, found.environment);
    },
    current: async (projectId) => read(await findDigest(db, projectId, reportPath)),
    previous: async (projectId) => read(await findPreviousDigest(db, projectId, reportPath)),
  };
}
