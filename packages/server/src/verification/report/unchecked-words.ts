/** Words that documents often have and nobody here checks, with what can be asked for instead. */
const known: readonly { readonly word: RegExp; readonly why: string; readonly remedy: string }[] = [
  {
    word: /accessib|a11y|wcag/i,
    why: "Nobody here scans pages for accessibility.",
    remedy:
      "Let 'ux_flows' find controls by the names that screen readers hear, run a scanner such as axe in 'commands', or declare an agent with the capability 'reviewer'.",
  },
  {
    word: /^type_check$/,
    why: "Nothing on this machine checks the types of this language.",
    remedy:
      "Install TypeScript ('npm install --global typescript') or mypy ('apt install mypy') where the service runs, or let scripts.build run a checker.",
  },
];

const usual = {
  why: "Nobody here can check it: a plugin, an agent or a person must.",
  remedy:
    "Write it as a command, a request or a flow, declare an agent with the capability 'reviewer', or answer it yourself: 'slipway projects approve'.",
};

/** Why nobody checks a line, and how it can be checked. */
export function uncheckedLine(pointer: string): { readonly why: string; readonly remedy: string } {
  const name = pointer.slice(pointer.lastIndexOf("/") + 1);
  return known.find(({ word }) => word.test(name)) ?? usual;
}

/** The reason of a line that nobody has checked. */
export function uncheckedReason(pointer: string): string {
  const found = uncheckedLine(pointer);
  return found === usual ? found.why : `${found.why} ${found.remedy}`;
}
