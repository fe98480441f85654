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
  readonly place: BlobBackend;
  readonly blobs: BlobStore;
  readonly log: { info(details: object, message: string): void; error(details: object, message: string): void };
  /** How long and how many checkpoints of a project stay; undefined: all. */
  readonly retention: { readonly days: number | undefined; readonly count: number | undefined };
  /** How many blobs are known to be damaged. */
  readonly onDamaged: (count: number) => void;
}

interface Chore {
  readonly everyMs: number;
  readonly what: string;
  readonly work: () => Promise<void>;
}

/** What is read a minute to see whether it is still what it was. */
const verifiedBytes = 64 * 1024 * 1024;

/** What keeps the artifacts in order, beside everything else. */
export function artifactChores(parts: Deps): readonly Chore[] {
  const { db, clock, log, retention, onDamaged } = parts;
  let areAllKnown = false;
  return [
    {
      everyMs: 3600_000,
      what: "removing artifacts that nothing needs",
      work: async () => {
        if (!areAllKnown) await adoptAll(parts);
        areAllKnown = true;
        await removeOldUploads(db, clock.now());
        const { days, count } = retention;
        const checkpoints = days === undefined && count === undefined ? 0 : await removeOldCheckpoints(db, retention);
        const blobs = await collectBlobs(parts);
        if (checkpoints + blobs > 0) log.info({ checkpoints, blobs }, "Artifacts that nothing needs were removed.");
      },
    },
    {
      everyMs: 60_000,
      what: "verifying artifacts",
      work: async () => {
        for (const { digest, problem } of await verifySome(parts, verifiedBytes))
          log.error({ digest, problem }, "Bytes of artifacts are not what they were. Restore them from a backup.");
        onDamaged(await countDamaged(db));
      },
    },
  ];
}
