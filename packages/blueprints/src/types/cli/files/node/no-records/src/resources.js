/** What a command works with besides its values: without records, nothing. */
export function resourcesFor() {
  return {};
}
