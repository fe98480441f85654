import { type Options, textOf } from "../connection/with-service.ts";

/** Which of an agent's runs is asked for. */
export function runQuery(options: Options): { project?: string; task?: string } {
  const [project, task] = [textOf(options, "projectId"), textOf(options, "taskId")];
  return { ...(project !== undefined && { project }), ...(task !== undefined && { task }) };
}
