import type { Project } from "@slipway/contract";
import type { Connection } from "../connection/connect.ts";

/** Why a project waits, and how to continue it. */
export function waitingLines({ project_id, waiting_for }: Project, connection: Connection): string[] {
  const command = (...words: string[]) => `  ${connection.commandLine("projects", ...words)}`;
  switch (waiting_for) {
    case "approval":
      return [
        "The project is waiting for approval. To decide, run in another terminal:",
        command("approve", project_id),
        command("approve", project_id, "--deny"),
      ];
    case "agent":
      return ["The project is waiting for an agent: every suitable agent is busy. It continues when one is free."];
    case "paused":
      return ["The project is paused. To resume it, run in another terminal:", command("resume", project_id)];
    case "debug":
      return [
        "The project is being debugged: it stops before each task. To go on, run in another terminal:",
        `  ${connection.commandLine("debug", project_id)}`,
      ];
    case null:
      return [];
  }
}
