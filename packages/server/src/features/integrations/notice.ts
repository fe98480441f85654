/** What to send to another service because of an event; contains no secret. */
export type NoticeAction =
  | { readonly is: "message"; readonly text: string; readonly channel?: string }
  | {
      readonly is: "create_ticket";
      /** A task's id, or empty for the project. */
      readonly subject: string;
      readonly fields: Readonly<Record<string, string>>;
    }
  | {
      readonly is: "comment_ticket";
      readonly subject: string;
      readonly text: string;
      /** Whether the ticket's subject is done. */
      readonly isDone: boolean;
    };

export type NoticeTarget = "slack" | "jira";

export interface NewNotice {
  readonly target: NoticeTarget;
  readonly action: NoticeAction;
}

/** How sending it went. */
export type NoticeOutcome =
  | { readonly is: "sent"; readonly ticket?: string }
  /** There is no ticket that it could be added to. */
  | { readonly is: "skipped"; readonly reason: string }
  | {
      readonly is: "failed";
      readonly reason: string;
      /** A retry would not help. */
      readonly isFinal: boolean;
      readonly retryAfterMs?: number;
    };
