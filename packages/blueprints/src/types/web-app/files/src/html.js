/** Markup that is safe to send: only `html` makes it. */
class Markup {
  constructor(text) {
    this.text = text;
  }
}

/** A template of markup. What is put in is text, unless it is markup itself; lists are put one after the other. */
export function html(parts, ...values) {
  return new Markup(parts.reduce((text, part, index) => text + rendered(values[index - 1]) + part));
}

function rendered(value) {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(rendered).join("");
  if (value === undefined || value === null || value === false) return "";
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
