/** What an error says; JavaScript lets code throw anything. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
