import type { Terminal } from "./terminal.ts";

/** A line of output that GitHub Actions turns into an annotation of a file. */
export function workflowCommand(
  command: "error" | "warning" | "notice",
  properties: Readonly<Record<string, string | number>>,
  text: string,
): string {
  const list = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  return `::${command} ${list.join(",")}::${escapeData(text)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/**
 * A terminal whose lines GitHub Actions takes for text. It looks for commands in whatever a job prints, after spaces, too;
 * what agents and programs say is printed.
 */
export function withoutCommands(terminal: Terminal): Terminal {
  const defuse = (text: string) => text.replace(/^([^\S\r\n\u2028\u2029]*)::/gm, "$1: :").replaceAll("##[", "# #[");
  return { ...terminal, out: (text) => terminal.out(defuse(text)), err: (text) => terminal.err(defuse(text)) };
}
