import { startWith } from "./pg-boss.mjs";

/** Its workers, each with many jobs at a time, settled together. */
export const start = (place, ran) =>
  startWith(place, ran, { batchSize: 100, localConcurrency: 2, burstWhenBatchFull: true });
