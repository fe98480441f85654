/** Why an agent cannot go on, in words for who reads the task's failure. */
export class AcpError extends Error {
  readonly code: "agent_silent" | "agent_protocol" | "agent_mode";

  constructor(code: AcpError["code"], message: string) {
    super(message);
    this.name = "AcpError";
    this.code = code;
  }
}
