/** A word of the interface, with what is filled in. All of them stand in `model/site.json`. */
export function say({ texts }, key, values = {}) {
  const text = texts[key] ?? key.replaceAll("_", " ");
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
