interface Content {
  /** What stands in the file, whatever its encoding; of a binary file, its bytes as characters. */
  readonly text: string;
  /** What programs see that take the file for code, without zero bytes. */
  readonly code: string;
  readonly isBinary: boolean;
}

export function textOf(bytes: Uint8Array): Content {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer[0] === 0xff && buffer[1] === 0xfe) return asText(buffer.subarray(2).toString("utf16le"));
  if (buffer[0] === 0xfe && buffer[1] === 0xff) {
    const even = Buffer.from(buffer.subarray(2, buffer.length - (buffer.length % 2)));
    return asText(even.swap16().toString("utf16le"));
  }
  // A zero byte alone hides nothing: what is otherwise text stays text.
  const isBinary = zeros(buffer) > Math.max(2, buffer.length / 100) || isMedia(bytes) || isProgram(bytes);
  const code = buffer.toString("utf8").replaceAll("\0", " ");
  return isBinary ? { text: buffer.toString("latin1"), code, isBinary } : asText(code);
}

function asText(text: string): Content {
  return { text, code: text, isBinary: false };
}

function zeros(buffer: Buffer): number {
  let count = 0;
  for (let at = buffer.indexOf(0); at !== -1 && count < 100_000; at = buffer.indexOf(0, at + 1)) count += 1;
  return count;
}

/** How files begin that show or play something and run nothing: pictures, fonts, sound, film. */
const media = [
  "89504e47",
  "ffd8ff",
  "47494638",
  "52494646",
  "00000100",
  "774f4646",
  "774f4632",
  "00010000",
  "4f54544f",
  "494433",
  "fffb",
  "4f676753",
  "664c6143",
  "1a45dfa3",
  "424d",
  "25504446",
];
/** Programs, libraries and archives. */
const programs = [
  "7f454c46",
  "4d5a",
  "cafebabe",
  "feedface",
  "feedfacf",
  "cffaedfe",
  "cefaedfe",
  "0061736d",
  "504b0304",
  "504b0506",
  "1f8b",
  "425a68",
  "fd377a58",
  "377abcaf",
  "28b52ffd",
  "52617221",
  "213c617263683e",
];

export function isMedia(bytes: Uint8Array): boolean {
  return beginsWith(bytes, media) || Buffer.from(bytes.subarray(4, 8)).toString("latin1") === "ftyp";
}

export function isProgram(bytes: Uint8Array): boolean {
  const hasOdd = bytes.subarray(0, 512).some((byte) => byte < 9 || byte > 126);
  // Two letters begin many texts, too.
  return hasOdd && (beginsWith(bytes, programs) || isPythonCode(bytes) || isTar(bytes) || endsAsZip(bytes));
}

function isPythonCode(bytes: Uint8Array): boolean {
  return bytes[1] === 0x0d && bytes[2] === 0x0d && bytes[3] === 0x0a;
}

function isTar(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(257, 262)).toString("latin1") === "ustar";
}

/** Programs find a zip by its end, whatever stands before it. */
function endsAsZip(bytes: Uint8Array): boolean {
  const tail = Buffer.from(bytes.subarray(-65_557));
  for (let at = tail.lastIndexOf("PK\x05\x06", undefined, "latin1"); at !== -1; ) {
    if (at + 22 <= tail.length && at + 22 + tail.readUInt16LE(at + 20) === tail.length) return true;
    at = at === 0 ? -1 : tail.lastIndexOf("PK\x05\x06", at - 1, "latin1");
  }
  return false;
}

function beginsWith(bytes: Uint8Array, heads: readonly string[]): boolean {
  const head = Buffer.from(bytes.subarray(0, 8)).toString("hex");
  return (
    heads.some((one) => head.startsWith(one)) &&
    !/^[\x09\x0a\x0d\x20-\x7e]*$/.test(Buffer.from(bytes.subarray(0, 256)).toString("latin1"))
  );
}
