import type { Project } from "@slipway/contract";
import { readSent } from "./answer-of.ts";
import type { Caller } from "./caller.ts";
import { SlipwayError } from "./errors.ts";
import { pause } from "./pause.ts";
import { backoffMs } from "./retry-delay.ts";

interface WatchProjectOptions {
  readonly signal?: AbortSignal | undefined;
  /** The minimum time between two reads. */
  readonly intervalMs?: number;
}

const waitSeconds = 30;

/** Yields a project now and after each change. While the service is unreachable, waits until the signal aborts. */
export async function* watchProject(
  caller: Caller,
  projectId: string,
  { signal, intervalMs = 500 }: WatchProjectOptions = {},
): AsyncGenerator<Project, never, void> {
  let etag: string | undefined;
  for (let failures = 0; ; ) {
    try {
      const limit = AbortSignal.timeout((waitSeconds + 30) * 1000);
      const response = await caller.send("readProject", {
        params: { project_id: projectId },
        headers: etag === undefined ? {} : { "if-none-match": etag, prefer: `wait=${waitSeconds}` },
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      failures = 0;
      if (response.status !== 304) {
        const project = (await readSent("readProject", response)) as Project;
        etag = response.headers.get("etag") ?? undefined;
        yield project;
      }
    } catch (error) {
      signal?.throwIfAborted();
      const isUnreachable = !(error instanceof SlipwayError) || error.isTransient;
      if (!isUnreachable || !(error instanceof Error)) throw error;
      failures++;
      await pause(backoffMs(failures), signal);
    }
    await pause(intervalMs, signal);
  }
}
