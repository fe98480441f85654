import { join } from "node:path";

/** An attempt's folder in which an agent works, at a commit. */
export interface Worktree {
  readonly projectId: string;
  readonly attemptId: string;
  /** Where the files are. */
  readonly path: string;
}

/** Where the files of a project, or the source of an application, are. Ids come from elsewhere: none of them may lead out of the folder. */
export function projectPlace(folder: string, projectId: string) {
  if (!isProjectId(projectId)) throw new Error(`'${projectId}' is not the id of a project.`);
  const project = join(folder, projectId);
  return { project, gitDir: join(project, "repo.git"), attempts: join(project, "attempts") };
}

/** Where an attempt's files are. The index lies beside the tree, out of the agent's reach. */
export function attemptPlace(folder: string, projectId: string, attemptId: string) {
  if (!isAttemptId(attemptId)) throw new Error(`'${attemptId}' is not the id of an attempt.`);
  const attempt = join(projectPlace(folder, projectId).attempts, attemptId);
  return { attempt, tree: join(attempt, "tree"), index: join(attempt, "index") };
}

export function isProjectId(text: string): boolean {
  return /^(proj|app)_[0-9a-z]{1,100}$/.test(text);
}

export function isAttemptId(text: string): boolean {
  return /^[a-z0-9_-]{1,120}$/.test(text);
}

/** Ids reach git's command line: nothing else that git would understand may take their place. */
export function requireCommitId(text: string): string {
  if (!/^[0-9a-f]{40}$/.test(text)) throw new Error(`'${text}' is not the id of a commit.`);
  return text;
}
