/** The result of one check. */
export interface Finding {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed";
  readonly message: string;
  /** What the operator can do about it. */
  readonly remedy: string | null;
}

export const ok = (name: string, message: string): Finding => ({ name, status: "ok", message, remedy: null });

export const warning = (name: string, message: string, remedy: string | null = null): Finding => ({
  name,
  status: "warning",
  message,
  remedy,
});

export const failed = (name: string, message: string, remedy: string | null = null): Finding => ({
  name,
  status: "failed",
  message,
  remedy,
});
