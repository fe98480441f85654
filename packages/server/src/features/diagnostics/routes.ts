import type { Diagnostics } from "@slipway/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Answer, Call, Handlers } from "../../platform/http/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import { maskTexts } from "./mask-texts.ts";

/** The reads that diagnostics put together; each admits only who may read the project. */
type Reads = Pick<
  Handlers,
  | "readProject"
  | "readSpec"
  | "listPhases"
  | "listTasks"
  | "listEvents"
  | "listApprovals"
  | "readAcceptance"
  | "readLogs"
>;

interface Deps {
  readonly clock: Clock;
  readonly version: string;
  readonly reads: Reads;
  /** The values of the project's secrets, as far as they can be had. */
  readonly secretsOf: (projectId: string) => Promise<readonly string[]>;
}

const pageSize = 100;
const maxPages = 10;
const maxLines = 1_000;

/** Everything that explains a project, in one answer. */
export function diagnosticsRoutes({ clock, version, reads, secretsOf }: Deps): Pick<Handlers, "readDiagnostics"> {
  return {
    readDiagnostics: async (call) => {
      // Not the caller's headers: they may ask for a stream, a wait or another format.
      const asked = { ...call, request: { method: "GET", headers: {} } as Call["request"] };
      const read = <T>(name: keyof Reads, query: object = {}) => readBody<T>(reads[name], { ...asked, query });
      const project = await read<Diagnostics["project"]>("readProject");
      const found: Diagnostics = {
        generated_at: clock.now().toISOString(),
        service: { version, node: process.versions.node, platform: `${process.platform} ${process.arch}` },
        project,
        document: Buffer.from(await read<Uint8Array>("readSpec")).toString("utf8"),
        phases: (await read<{ phases: Diagnostics["phases"] }>("listPhases")).phases,
        tasks: await readPages("tasks", (query) => read("listTasks", query)),
        events: await readPages("events", (query) => read("listEvents", query)),
        approvals: (await read<{ approvals: Diagnostics["approvals"] }>("listApprovals", { limit: pageSize }))
          .approvals,
        acceptance: await read("readAcceptance"),
        logs: (await read<{ lines: Diagnostics["logs"] }>("readLogs", { tail: maxLines })).lines,
      };
      const masker = new Masker(await secretsOf(project.project_id));
      return { status: 200, body: await maskTexts(found, masker) };
    },
  };
}

async function readBody<T>(handler: (call: never) => Promise<Answer | undefined>, call: object): Promise<T> {
  const answer = await handler(call as never);
  return answer?.body as T;
}

async function readPages<T>(
  plural: string,
  read: (query: object) => Promise<{ readonly next_cursor: string | null }>,
): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | null | undefined;
  for (let pages = 0; cursor !== null && pages < maxPages; pages++) {
    const page = await read({ limit: pageSize, ...(cursor !== undefined && { cursor }) });
    found.push(...(page as unknown as Record<string, T[]>)[plural]!);
    cursor = page.next_cursor;
  }
  return found;
}
