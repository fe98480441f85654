import type { Project } from "@slipway/contract";
import type { Client } from "./client.ts";
import { SlipwayError } from "./errors.ts";
import { pause } from "./pause.ts";
import { backoffMs } from "./retry-delay.ts";

interface WatchProjectOptions {
  readonly signal?: AbortSignal | undefined;
  /** A project that changes faster is read this often. */
  readonly intervalMs?: number;
}

const heldSeconds = 30;

/** A project, as it is and after each change; a service that is away is waited for until the signal ends it. */
export async function* watchProject(
  client: Client,
  projectId: string,
  { signal, intervalMs = 500 }: WatchProjectOptions = {},
): AsyncGenerator<Project, never, void> {
  let etag: string | undefined;
  for (let failures = 0; ; ) {
    try {
      const held = AbortSignal.timeout((heldSeconds + 30) * 1000);
      const response = await client.send("readProject", {
        params: { project_id: projectId },
        headers: etag === undefined ? {} : { "if-none-match": etag, prefer: `wait=${heldSeconds}` },
        signal: signal ? AbortSignal.any([signal, held]) : held,
      });
      failures = 0;
      if (response.status !== 304) {
        const project = (await response.json()) as Project;
        etag = response.headers.get("etag") ?? undefined;
        yield project;
      }
    } catch (error) {
      signal?.throwIfAborted();
      const isAway = !(error instanceof SlipwayError) || error.isTransient;
      if (!isAway || !(error instanceof Error)) throw error;
      failures++;
      await pause(backoffMs(failures), signal);
    }
    await pause(intervalMs, signal);
  }
}
