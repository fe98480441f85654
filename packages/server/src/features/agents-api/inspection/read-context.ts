import type { AgentContext } from "@slipway/contract";
import { isNotHere, type RepositoryDeps, withRepository } from "./project-repository.ts";
import type { AgentRunRow } from "./store.ts";

const maxFiles = 1_000;

/** What an agent received for a run: prompt, files, limits. */
export async function readContext(deps: RepositoryDeps, run: AgentRunRow): Promise<AgentContext> {
  const files = await listFiles(deps, run);
  return {
    agent_id: run.agent_id,
    project_id: run.project_id,
    task_id: run.task_id,
    attempt: run.number,
    prompt: run.prompt,
    base_commit: run.base_commit,
    files: files?.slice(0, maxFiles).map(({ path, sizeBytes }) => ({ path, size_bytes: sizeBytes })) ?? null,
    files_total: files?.length ?? null,
    limits: run.limits as Record<string, unknown>,
    last_status: run.last_status,
    usage: { input_tokens: run.input_tokens, output_tokens: run.output_tokens, cost_usd: run.cost_usd },
    started_at: run.started_at.toISOString(),
    ended_at: run.ended_at?.toISOString() ?? null,
    outcome: run.outcome,
  };
}

async function listFiles(deps: RepositoryDeps, { project_id, base_commit }: AgentRunRow) {
  const list = () => deps.workspaces.listFiles(project_id, base_commit);
  return withRepository(deps, project_id, list).catch((error: unknown) => {
    if (isNotHere(error)) return undefined;
    throw error;
  });
}
