/** Settings with an agent that writes a program by a command, as a coding agent would; see `programToWrite`. */
export const writingAgent = `agents:
- name: writes
  kind: command
  command: sh
  args: ["-c", "printf %s \\"$PROGRAM\\" | base64 -d > server.cjs"]
  env: [PROGRAM]
  capabilities: [scripted]
`;

/** The environment of a service whose writing agent is to write this program. */
export function programToWrite(program: string): { readonly PROGRAM: string } {
  return { PROGRAM: Buffer.from(program).toString("base64") };
}
