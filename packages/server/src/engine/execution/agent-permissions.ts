/** What an agent asks people while it works. */
export interface PermissionQuestion {
  readonly projectId: string;
  readonly taskId: string;
  readonly agentId: string;
  readonly phase: string;
  readonly environment: string;
  readonly question: string;
  /** How long people have to decide. */
  readonly waitMs: number;
}

/** Where agents ask people whether they may do something. */
export interface AgentPermissions {
  ask(question: PermissionQuestion, signal: AbortSignal): Promise<boolean>;
  /** Takes back what was asked at a task: nobody waits for the answer any more. */
  withdraw(projectId: string, taskId: string): Promise<void>;
}
