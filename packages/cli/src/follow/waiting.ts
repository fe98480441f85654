import type { Project } from "@slipway/contract";
import { type Connection, shellWord } from "../connection/connect.ts";

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
        "The project is being debugged: it stops before each task. To continue, run in another terminal:",
        `  ${debugCall(project_id, "step", connection)}`,
        `  ${debugCall(project_id, "continue", connection)}`,
      ];
    case null:
      return [];
  }
}

function debugCall(projectId: string, action: string, { client, dataFolder }: Connection): string {
  const token = dataFolder === undefined ? "$SLIPWAY_TOKEN" : `$(cat ${shellWord(`${dataFolder}/admin-token`)})`;
  return `curl -X POST ${client.url}/api/v1/projects/${projectId}/debug/${action} -H "Authorization: Bearer ${token}"`;
}
