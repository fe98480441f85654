import type { Log } from "../../../src/platform/database/log.ts";

/** Says nothing. */
export const quietLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
