/** The controls of a page that have no label of their own; those that nobody sees need none. */
export function unlabelledControls(text) {
  const labelled = new Set([...text.matchAll(/<label (?:class="[^"]*" )?for="([^"]+)"/g)].map(([, id]) => id));
  const controls = [...text.matchAll(/<(?:input|select|textarea)\b[^>]*>/g)].map(([control]) => control);
  return controls
    .filter((control) => !control.includes(' type="hidden"'))
    .filter((control) => !labelled.has(/ id="([^"]+)"/.exec(control)?.[1]));
}
