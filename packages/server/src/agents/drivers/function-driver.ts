import { messageOf } from "../../platform/errors/index.ts";
import type { AgentDriver, AgentEvent, AgentReport, AgentWork } from "./driver.ts";
import { EventQueue } from "./event-queue.ts";

/** What a function that is an agent is given. */
export interface SimpleWork extends AgentWork {
  readonly signal: AbortSignal;
  /** Says in a few words what it is at. */
  readonly onStatus: (text: string) => void;
}

/** Makes a driver of a function that does the whole work in this process. */
export function simpleDriver(kind: string, doWork: (work: SimpleWork) => Promise<AgentReport>): AgentDriver {
  return {
    kind,
    probe: async () => ({ isUsable: true, version: "" }),
    start: (work, { signal }) => {
      const events = new EventQueue<AgentEvent>();
      const cancelled = new AbortController();
      const onStatus = (text: string) => events.push({ type: "status", text });
      const ending = AbortSignal.any([signal, cancelled.signal]);
      const result = doWork({ ...work, signal: ending, onStatus }).catch(reportThrown);
      void result.finally(() => events.close());
      return { events, result, cancel: () => cancelled.abort() };
    },
  };
}

/** What an agent throws is a failure of its own, and not the database's, say, whatever it looks like. */
function reportThrown(error: unknown): AgentReport {
  const code = (error as NodeJS.ErrnoException).code === "ENOSPC" ? "no_space" : "agent_failed";
  return { is: "failed", code, message: messageOf(error) };
}
