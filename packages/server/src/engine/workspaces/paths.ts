import { join } from "node:path";

/** An attempt's folder in which an agent works, at a commit. */
export interface Worktree {
  readonly projectId: string;
  readonly attemptId: string;
  /** Where the files are. */
  readonly path: string;
}

/** The folders of a project, or of an application's source. An id from elsewhere must not lead out of the folder. */
export function projectFolders(folder: string, projectId: string) {
  if (!isProjectId(projectId)) throw new Error(`'${projectId}' is not the id of a project.`);
  const project = join(folder, projectId);
  return { project, gitDir: join(project, "repo.git"), attempts: join(project, "attempts") };
}

/** The folders of an attempt. The index lies beside the tree, out of the agent's reach. */
export function attemptFolders(folder: string, projectId: string, attemptId: string) {
  if (!isAttemptId(attemptId)) throw new Error(`'${attemptId}' is not the id of an attempt.`);
  const attempt = join(projectFolders(folder, projectId).attempts, attemptId);
  return { attempt, tree: join(attempt, "tree"), index: join(attempt, "index") };
}

export function isProjectId(text: string): boolean {
  return /^(proj|app)_[0-9a-z]{1,100}$/.test(text);
}

export function isAttemptId(text: string): boolean {
  return /^[a-z0-9_-]{1,120}$/.test(text);
}

/** Commit ids reach git's command line, so nothing else that git understands may pass as one. */
export function requireCommitId(text: string): string {
  if (!/^[0-9a-f]{40}$/.test(text)) throw new Error(`'${text}' is not the id of a commit.`);
  return text;
}
