/** What the command line asks for, or what is wrong with it. */
export function readOptions(model, words) {
  const options = { isHelp: false, isVersion: false, hasWindow: true, data: undefined, error: undefined };
  for (let index = 0; index < words.length; index += 1) {
    const [word, inline] = words[index].split(/=(.*)/s);
    const known = model.options.find(({ name }) => name === word);
    if (known === undefined) return { ...options, error: `unknown option ${word}` };
    if (known.does === "help") options.isHelp = true;
    if (known.does === "version") options.isVersion = true;
    if (known.does === "no_window") options.hasWindow = false;
    if (known.does !== "data") continue;
    options.data = inline ?? words[(index += 1)];
    if (!options.data) return { ...options, error: `${word} needs a folder` };
  }
  return options;
}

export function helpText(model) {
  const about = { help: "print this", version: "print the version", data: "keep everything in this folder", no_window: "serve without opening a window" };
  const names = model.options.map(({ name, does }) => (does === "data" ? `${name} FOLDER` : name));
  const width = Math.max(...names.map((name) => name.length));
  const lines = model.options.map(({ does }, index) => `  ${names[index].padEnd(width)}  ${about[does]}`);
  return [`${model.name} ${model.version}`, "", "Options:", ...lines, ""].join("\n");
}
