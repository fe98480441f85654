//@ (text: string): string
export function unescapeHtml(text) {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => characters[entity]);
}

const characters = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
//: unescapeHtml("&lt;b&gt; &amp;amp;") => "<b> &amp;"
//= const characters = ==> const characters: Readonly<Record<string, string>> =
//= characters[entity]) ==> characters[entity]!)
