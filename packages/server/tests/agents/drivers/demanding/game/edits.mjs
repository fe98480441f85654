/** Lets others hear of every change of the session. */
function letListen({ replace, after, before }) {
  replace("web/boot.js", "export function boot(window, rules) {", "export function boot(window, rules, listeners = []) {");
  after(
    "web/boot.js",
    /^ {4}if \(isNews\(before, session\)\) .*\n/m,
    "    for (const hear of listeners) hear(before, session, shownScore(rules, session));\n",
  );
  replace("web/main.js", "boot(window, rules);", "boot(window, rules, listeners);");
  before("web/main.js", "boot(window, rules, listeners);", "const listeners = [];\n");
}

export default {
  "/gameplay/multiplayer": (project) => {
    const { add, after, before } = project;
    add("web/match.js", "test/engine/match.test.js");
    letListen(project);
    before("web/main.js", "import { boot }", 'import { addMatch } from "./match.js";\n');
    after("web/main.js", "const listeners = [];\n", "listeners.push(addMatch(window.document, 2));\n");
    after(
      "web/index.html",
      /^.*<button id="start".*\n/m,
      '          <button id="two-players" type="button">Two players</button>\n          <p id="match"></p>\n',
    );
  },
  "/gameplay/sound": (project) => {
    const { add, before, after, write } = project;
    add("web/sound.js", "test/engine/sound.test.js");
    write("web/crunch.wav", crunch());
    letListen(project);
    before("web/main.js", "import { boot }", 'import { eatSound } from "./sound.js";\n');
    const listener = 'listeners.push(eatSound((address) => new window.Audio(address), "/web/crunch.wav"));\n';
    after("web/main.js", "const listeners = [];\n", listener);
    after("server/static-server.js", /^ {2}"\.svg": .*\n/m, '  ".wav": "audio/wav",\n');
  },
};

/** A bite: an eighth of a second of noise that dies away, 8000 samples of a byte a second. */
function crunch() {
  const samples = 1000;
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples, 40);
  let state = 1;
  const noise = Uint8Array.from({ length: samples }, (_, index) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return 128 + (state / 2147483648 - 0.5) * 200 * (1 - index / samples) ** 2;
  });
  return Buffer.concat([head, noise]);
}
