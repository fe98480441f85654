/** Why an agent cannot continue; the message becomes the task's failure. */
export class AcpError extends Error {
  readonly code: "agent_silent" | "agent_protocol" | "agent_mode";

  constructor(code: AcpError["code"], message: string) {
    super(message);
    this.name = "AcpError";
    this.code = code;
  }
}
