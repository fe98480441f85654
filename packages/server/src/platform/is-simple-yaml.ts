/** Three times what our examples have. */
const maxMarks = 2000;

/**
 * Whether few values can be in a text, also with its aliases written out: others are read in a thread, however small they
 * are. 20 KB may hold ten thousand values, or 300 services that 700 environments override, which takes most of a second.
 */
export function isSimpleYaml(text: Uint8Array | string): boolean {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  let marks = 0;
  let aliases = 0;
  for (const [index, byte] of bytes.entries()) {
    const isBeforeBlank = (bytes[index + 1] ?? 0) <= space;
    if (marksAnywhere.has(byte) || (marksBeforeBlanks.has(byte) && isBeforeBlank)) marks += 1;
    else if (byte === star && !isBeforeBlank && canFollow(bytes[index - 1] ?? space)) aliases += 1;
  }
  return marks * (1 + aliases) <= maxMarks;
}

const space = 0x20;
const star = "*".charCodeAt(0);
/** There is no value of YAML without one of these. */
const marksAnywhere = new Set(Buffer.from("\n\r,:{["));
const marksBeforeBlanks = new Set(Buffer.from("-?"));

/** Whether an alias may come after it. */
function canFollow(byte: number): boolean {
  return byte <= space || marksAnywhere.has(byte);
}
