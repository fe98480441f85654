/** Three times what our examples have. */
const maxMarks = 2000;

const space = 0x20;
/** What a byte may be the mark of; of most, nothing. */
const kinds = { value: 1, valueBeforeBlank: 2, alias: 3 } as const;
const kindOf = new Uint8Array(256);
// There is no value of YAML without one of the first two.
for (const byte of Buffer.from("\n\r,:{[")) kindOf[byte] = kinds.value;
for (const byte of Buffer.from("-?")) kindOf[byte] = kinds.valueBeforeBlank;
for (const byte of Buffer.from("*")) kindOf[byte] = kinds.alias;

/**
 * Whether few values can be in a text, also with its aliases written out: others are read in a thread, however small they
 * are. 20 KB may hold ten thousand values, or 300 services that 700 environments override, which takes most of a second.
 */
export function isSimpleYaml(text: Uint8Array | string): boolean {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  let marks = 0;
  let aliases = 0;
  // Every document comes by here: an index is many times as fast as an iterator.
  for (let index = 0; index < bytes.length; index += 1) {
    const kind = kindOf[bytes[index]!];
    if (kind === 0) continue;
    const isBeforeBlank = (bytes[index + 1] ?? 0) <= space;
    if (kind === kinds.value || (kind === kinds.valueBeforeBlank && isBeforeBlank)) marks += 1;
    else if (kind === kinds.alias && !isBeforeBlank && canFollow(bytes[index - 1] ?? space)) aliases += 1;
  }
  return marks * (1 + aliases) <= maxMarks;
}

/** Whether an alias may come after it. */
function canFollow(byte: number): boolean {
  return byte <= space || kindOf[byte] === kinds.value;
}
