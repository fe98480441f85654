import type { AcceptanceReport, Approval, Artifact, Checkpoint, Phase, Project, Task } from "@slipway/contract";
import { client } from "../data/client.ts";
import { type Known, useQuery } from "../data/query-cache.ts";
import { may } from "../data/session.ts";

const params = (id: string) => ({ params: { project_id: id } });

export const useProject = (id: string): Known<Project> =>
  useQuery(`project/${id}`, () => client.call("readProject", params(id)));

export const usePhases = (id: string): Known<Phase[]> =>
  useQuery(`project/${id}/phases`, async () => (await client.call("listPhases", params(id))).phases);

export const useTasks = (id: string): Known<Task[]> =>
  useQuery(`project/${id}/tasks`, async () => {
    const tasks: Task[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: { tasks: Task[]; next_cursor: string | null } = await client.call("listTasks", {
        ...params(id),
        query: { limit: 100, ...(cursor !== "" && { cursor }) },
      });
      tasks.push(...page.tasks);
      cursor = page.next_cursor;
    }
    return tasks;
  });

export const useAcceptance = (id: string): Known<AcceptanceReport> =>
  useQuery(`project/${id}/acceptance`, () => client.call("readAcceptance", params(id)));

export const useApprovals = (id: string): Known<Approval[]> =>
  useQuery(`project/${id}/approvals`, async () => (await client.call("listApprovals", params(id))).approvals);

export const useCheckpoints = (id: string): Known<Checkpoint[]> =>
  useQuery(`project/${id}/checkpoints`, async () => (await client.call("listCheckpoints", params(id))).checkpoints);

/** A document never changes, so no change of its project outdates it. */
export const useDocumentLines = (id: string): Known<string[]> =>
  useQuery(`document/${id}`, async () => {
    const answer = await client.send("readSpec", { ...params(id), headers: { accept: "application/yaml" } });
    return (await answer.text()).split("\n");
  });

export const useArtifacts = (id: string): Known<Artifact[]> =>
  useQuery(`project/${id}/artifacts`, async () => (await client.call("listArtifacts", params(id))).artifacts);

/** The runs of the same application before this one, newest first. */
export const useEarlierRuns = ({ project_id, document_id, application_id }: Project): Known<Project[]> =>
  useQuery(`earlier/${project_id}`, async () => {
    const { projects } = await client.call("listProjects", { query: { id: document_id, limit: 100 } });
    // Ids sort by time.
    return projects.filter((one) => one.application_id === application_id && one.project_id < project_id);
  });

/** Names agents; until their names are known, by their ids. */
export function useAgentNames(): (agentId: string) => string {
  const isAllowed = may("agents:read");
  const { data = [] } = useQuery(isAllowed ? "agents/names" : undefined, async () => {
    const { agents } = await client.call("listAgents", { query: { limit: 100 } });
    return agents;
  });
  return (agentId) => data.find(({ agent_id }) => agent_id === agentId)?.name ?? agentId;
}

/** The environments that a document names. */
export const useEnvironments = (id: string): Known<string[]> =>
  useQuery(`document/${id}/environments`, async () => {
    const document = await client.call("readSpec", { ...params(id), headers: { accept: "application/json" } });
    const { environments } = document as { environments?: object };
    return Object.keys(environments ?? {});
  });

/** The text of a file that the service wrote about a project. */
export const useReportText = (id: string, path: string | undefined): Known<string> =>
  useQuery(path === undefined ? undefined : `project/${id}/text/${path}`, async () => {
    const answer = await client.send("downloadArtifact", { params: { project_id: id, artifact: path! } });
    return answer.text();
  });
