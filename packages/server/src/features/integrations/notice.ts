/** Something to be told to a service of others because of an event; without any secret. */
export type NoticeAction =
  | { readonly is: "message"; readonly text: string; readonly channel?: string }
  | {
      readonly is: "create_ticket";
      /** What the ticket is for: a task's id, or nothing for the project. */
      readonly subject: string;
      readonly fields: Readonly<Record<string, string>>;
    }
  | {
      readonly is: "comment_ticket";
      readonly subject: string;
      readonly text: string;
      /** Whether what the ticket is for is done. */
      readonly isDone: boolean;
    };

export type NoticeTarget = "slack" | "jira";

export interface NewNotice {
  readonly target: NoticeTarget;
  readonly action: NoticeAction;
}

/** How telling it went. */
export type NoticeOutcome =
  | { readonly is: "sent"; readonly ticket?: string }
  /** There is nothing that it could be added to. */
  | { readonly is: "skipped"; readonly reason: string }
  | {
      readonly is: "failed";
      readonly reason: string;
      /** Trying again would not help. */
      readonly isFinal: boolean;
      readonly retryAfterMs?: number;
    };
