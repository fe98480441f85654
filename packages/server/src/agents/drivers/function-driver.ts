import type { AgentDriver, AgentReport, AgentWork } from "./driver.ts";
import { EventQueue } from "./event-queue.ts";
import { failedBy } from "./failed-report.ts";

export interface FunctionWork extends AgentWork {
  readonly signal: AbortSignal;

  readonly onStatus: (text: string) => void;
}

/** Makes a driver of a function that does the work in this process. */
export function functionDriver(kind: string, doWork: (work: FunctionWork) => Promise<AgentReport>): AgentDriver {
  return {
    kind,
    probe: async () => ({ isUsable: true, version: "" }),
    start: (work, { signal }) => {
      const events = new EventQueue();
      const cancelled = new AbortController();
      const onStatus = (text: string) => events.push({ type: "status", text });
      const ending = AbortSignal.any([signal, cancelled.signal]);
      const result = doWork({ ...work, signal: ending, onStatus }).catch(failedBy);
      void result.finally(() => events.close());
      return { events, result, cancel: () => cancelled.abort() };
    },
  };
}
