import type { CompleteSpec } from "@slipway/spec";
import { isLogged } from "../../platform/log/index.ts";

import type { AgentEvent } from "../drivers/driver.ts";

type Debug = CompleteSpec["debug"];

/** The line of an event for the project's log; empty if the document's `debug` leaves it out. */
export function lineOf(debug: Debug, event: AgentEvent): string {
  return isWanted(debug, event) ? textOf(event) : "";
}

function isWanted(debug: Debug, event: AgentEvent): boolean {
  switch (event.type) {
    case "status":
    case "log":
    case "message":
    case "permission":
      return isLogged(debug, "info");
    case "tool":
    case "plan":
    case "file":
      return isLogged(debug, debug.log_agent_actions ? "error" : "verbose");
    case "usage":
    case "resource":
    case "checkpoint":
      return isLogged(debug, "debug");
  }
}

function textOf(event: AgentEvent): string {
  switch (event.type) {
    case "status":
      return `· ${event.text}\n`;
    case "log":
      return event.text;
    case "message":
      return `${event.text}\n`;
    case "tool":
      return event.isDone ? "" : `→ ${event.name} ${event.detail}\n`;
    case "plan":
      return event.entries.map((entry) => `□ ${entry}\n`).join("");
    case "file":
      return `→ ${event.change} ${event.path}\n`;
    case "usage":
      return `· used ${event.inputTokens} + ${event.outputTokens} tokens\n`;
    case "resource":
      return `· holds ${Math.round(event.memoryBytes / 2 ** 20)} MB, used ${event.cpuSeconds.toFixed(1)} s of a core\n`;
    case "checkpoint":
      return `· ${event.text}\n`;
    case "permission":
      return "";
  }
}
