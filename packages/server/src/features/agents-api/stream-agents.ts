import type { Agent, AgentLog } from "@slipway/contract";
import { selectAgents } from "../../agents/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { type Call, type OpenWaits, type Principal, streamSse, versionOfContent } from "../../platform/http/index.ts";
import type { Signals } from "../../platform/wake-up/index.ts";
import { readLogPage } from "../logs/index.ts";
import { showAgents } from "./show-agents.ts";

export interface StreamDeps {
  readonly db: Database;
  readonly openWaits: OpenWaits;
  /** Signalled when a project changed, or when this node wrote lines of it. */
  readonly signals: Signals;
}

/** An installation has few agents; with more than these, the newest are streamed. */
const maxAgents = 500;
const logTail = 20;
/** How often to poll for what no signal tells: agents that come, go and are checked, and lines that other nodes wrote. */
const pollMs = 1_000;
/** A busy agent signals for each line it writes. */
const gatherMs = 200;

interface Told {
  readonly event: string;
  readonly data: unknown;
}

/** Streams every agent, then each that changes, and what each says of its task. */
export async function streamAgents(
  { db, openWaits, signals }: StreamDeps,
  call: Pick<Call, "reply" | "isStillAdmitted" | "principal">,
): Promise<void> {
  using _ = openWaits.open(call.principal);
  const agents = new ChangedAgents(db, call.principal);
  await streamSse<number>(call, {
    after: 0,
    pollMs,
    stopping: openWaits.signal,
    subscribe: (onSignal, until) => {
      let timer: NodeJS.Timeout | undefined;
      until.addEventListener("abort", () => clearTimeout(timer), { once: true });
      signals.subscribeAll(() => {
        timer ??= setTimeout(() => {
          timer = undefined;
          onSignal();
        }, gatherMs);
      }, until);
    },
    read: async (last) => {
      const told = await agents.read();
      return { events: told.map((one, index) => ({ id: last + index + 1, ...one })), hasMore: false };
    },
  });
}

/** What one reader was told of the agents, and what is new to it. */
class ChangedAgents {
  readonly #db: Database;
  readonly #principal: Principal;
  #versions = new Map<string, string>();
  readonly #logs = new Map<string, { readonly task: string; cursor: string | undefined }>();
  #hasBegun = false;

  constructor(db: Database, principal: Principal) {
    this.#db = db;
    this.#principal = principal;
  }

  async read(): Promise<Told[]> {
    const rows = (await selectAgents(this.#db, { limit: maxAgents, after: undefined })).slice(0, maxAgents);
    const agents = await showAgents(this.#db, rows, this.#principal);
    const versions = new Map(agents.map((agent) => [agent.agent_id, versionOf(agent)]));
    const changed = agents.filter(({ agent_id }) => versions.get(agent_id) !== this.#versions.get(agent_id));
    const gone = [...this.#versions.keys()].filter((id) => !versions.has(id));
    this.#versions = versions;
    const told: Told[] = this.#hasBegun
      ? [
          ...changed.map((agent) => ({ event: "agent", data: agent })),
          ...gone.map((id) => ({ event: "gone", data: { agent_id: id } })),
        ]
      : [{ event: "agents", data: { agents } }];
    this.#hasBegun = true;
    // Lines belong to projects: an agent's reader need not be allowed to read those.
    if (this.#principal.scopes.has("projects:read"))
      for (const agent of agents) told.push(...(await this.#readLog(agent)));
    return told;
  }

  /** The last lines of the task that an agent is at, then those that follow. */
  async #readLog({ agent_id, current_project, current_task }: Agent): Promise<Told[]> {
    if (current_project === null || current_task === null) {
      this.#logs.delete(agent_id);
      return [];
    }
    const task = `${current_project} ${current_task}`;
    const before = this.#logs.get(agent_id);
    const log = before?.task === task ? before : { task, cursor: undefined };
    this.#logs.set(agent_id, log);
    const filter = { projectId: current_project, taskId: current_task, agentId: agent_id };
    const page = { tail: logTail, cursor: log.cursor, isFollowed: true };
    const { lines, next_cursor } = await readLogPage(this.#db, filter, page);
    log.cursor = next_cursor;
    if (lines.length === 0) return [];
    const data: AgentLog = { agent_id, project_id: current_project, task_id: current_task, lines };
    return [{ event: "log", data }];
  }
}

/** Times move while an agent works: only what a person sees change is a change. */
function versionOf({ last_activity: _, utilization, utilization_history, ...rest }: Agent): string {
  const percents = [utilization, ...utilization_history].map((share) => Math.round(share * 100));
  return versionOfContent([rest, percents]);
}
