import type { BlobBackend, BlobStore } from "../../../platform/blobs/index.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/index.ts";
import { removeOldUploads } from "../uploads/store.ts";
import { adoptAll, collectBlobs } from "./collect-blobs.ts";
import { countDamaged, removeOldCheckpoints } from "./store.ts";
import { verifySome } from "./verify-blobs.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly backend: BlobBackend;
  readonly blobs: BlobStore;
  readonly log: { info(details: object, message: string): void; error(details: object, message: string): void };
  /** How long and how many checkpoints of a project are retained; undefined: all. */
  readonly retention: { readonly days: number | undefined; readonly count: number | undefined };
  /** Called with the number of damaged blobs. */
  readonly onDamaged: (count: number) => void;
}

interface Chore {
  readonly everyMs: number;
  readonly what: string;
  readonly work: () => Promise<void>;
}

/** How much is verified per minute. */
const verifiedBytesPerMinute = 64 * 1024 * 1024;

/** Background work on artifacts: removing unused ones, and verifying stored bytes. */
export function artifactChores(deps: Deps): readonly Chore[] {
  const { db, clock, log, retention, onDamaged } = deps;
  let areAllRecorded = false;
  return [
    {
      everyMs: 3600_000,
      what: "removing unused artifacts",
      work: async () => {
        if (!areAllRecorded) await adoptAll(deps);
        areAllRecorded = true;
        await removeOldUploads(db, clock.now());
        const { days, count } = retention;
        const checkpoints = days === undefined && count === undefined ? 0 : await removeOldCheckpoints(db, retention);
        const blobs = await collectBlobs(deps);
        if (checkpoints + blobs > 0) log.info({ checkpoints, blobs }, "Removed unused artifacts.");
      },
    },
    {
      everyMs: 60_000,
      what: "verifying artifacts",
      work: async () => {
        for (const { digest, problem } of await verifySome(deps, verifiedBytesPerMinute))
          log.error({ digest, problem }, "A stored artifact is damaged. Restore it from a backup.");
        onDamaged(await countDamaged(db));
      },
    },
  ];
}
