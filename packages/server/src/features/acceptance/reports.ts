import type { AcceptanceReport } from "@slipway/contract";
import { type ReportSources, reportPath } from "../../engine/execution/index.ts";
import type { BlobStore } from "../../platform/blobs/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { findSubmission, readWrittenLines } from "../projects/index.ts";
import { findDigest, findPreviousDigest, selectUsageByTask } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly blobs: Pick<BlobStore, "read">;
}

const unsaid = { answered_by: null, measured: [], usage: null };

/** Reads the reports that verification has stored as artifacts. */
export function createReports({ db, blobs }: Deps): ReportSources {
  const read = async (digest: string | undefined): Promise<AcceptanceReport | undefined> => {
    if (digest === undefined) return undefined;
    const report = JSON.parse((await blobs.read(digest)).toString("utf8")) as AcceptanceReport;
    // Reports of earlier versions do not say who answered, what was measured, used, not built or handed on.
    const { unmet = [], handed_on = [] } = report as Partial<AcceptanceReport>;
    return { ...report, unmet, handed_on, lines: report.lines.map((line) => ({ ...unsaid, ...line })) };
  };
  return {
    writtenLines: async (projectId, pointers) => {
      const found = await findSubmission(db, projectId);
      return found === undefined ? new Map() : readWrittenLines({ ...found, pointers });
    },
    usage: (projectId) => selectUsageByTask(db, projectId),
    evidence: async (projectId, path) => {
      const digest = await findDigest(db, projectId, path);
      return digest === undefined ? undefined : (await blobs.read(digest)).toString("utf8");
    },
    current: async (projectId) => read(await findDigest(db, projectId, reportPath)),
    previous: async (projectId) => read(await findPreviousDigest(db, projectId, reportPath)),
  };
}
