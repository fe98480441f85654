import { StringDecoder } from "node:string_decoder";

/** The part of a terminal's input that a hidden question needs. */
interface RawInput extends NodeJS.ReadableStream {
  setRawMode(isRaw: boolean): unknown;
}

const enter = /[\r\n\u0004]/;
const interrupt = "\u0003";

/** Asks for a line and shows nothing of it. Ctrl-C interrupts the program, as elsewhere. */
export async function askHidden(
  input: RawInput,
  show: (text: string) => void,
  question: string,
  onInterrupt: () => void,
): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const decoder = new StringDecoder("utf8");
  let typed = "";
  const read = (chunk: Buffer | string) => {
    for (const character of typeof chunk === "string" ? chunk : decoder.write(chunk)) {
      if (enter.test(character)) return resolve(typed);
      if (character === interrupt) {
        onInterrupt();
        return resolve("");
      }
      // Backspace, which terminals send as either.
      typed = character === "\u007f" || character === "\b" ? [...typed].slice(0, -1).join("") : typed + character;
    }
  };
  const end = () => resolve(typed);
  // First: what is typed between the question and this would be shown.
  input.setRawMode(true);
  show(question);
  input.on("data", read).once("end", end).resume();
  try {
    return await promise;
  } finally {
    input.off("data", read).off("end", end).pause();
    input.setRawMode(false);
    show("\n");
  }
}
