//@ (text: string): string
export function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (character) => entities[character]);
}

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
//: escapeHtml("<b>'&'</b>") => "&lt;b&gt;&#39;&amp;&#39;&lt;/b&gt;"
//= const entities = ==> const entities: Readonly<Record<string, string>> =
//= entities[character]) ==> entities[character]!)
