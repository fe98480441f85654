/** `issues` → `issue`, `categories` → `category`, `boxes` → `box`. */
function singular(word: string): string {
  if (/[^aeiou]ies$/i.test(word)) return word.replace(/ies$/i, "y");
  if (/(ses|xes|zes|ches|shes)$/i.test(word)) return word.replace(/es$/i, "");
  return /[^s]s$/i.test(word) ? word.slice(0, -1) : word;
}

/** `issue` → `issues`, `category` → `categories`, `box` → `boxes`; a plural stays as it is. */
export function plural(word: string): string {
  if (singular(word) !== word) return word;
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}
