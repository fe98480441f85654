const sequence = /\u001b\[([0-9;]*)m/g;
const others = /\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007]*\u0007?|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]/g;

/** A program may change its colour at every letter, and a page with a hundred thousand elements answers nobody. */
const maxPieces = 200;

interface Piece {
  readonly text: string;
  readonly class: string;
}

/** Splits a line at its colour sequences; all other sequences go. After many, the rest has one colour. */
export function readAnsi(line: string): Piece[] {
  const pieces: Piece[] = [];
  let colour = "";
  let isBold = false;
  let from = 0;
  const add = (to: number) => {
    const text = line.slice(from, to).replace(others, "").replaceAll("\u001b", "");
    if (text !== "") pieces.push({ text, class: `${colour}${isBold ? " ansi-bold" : ""}` });
  };
  for (const match of line.matchAll(sequence)) {
    if (pieces.length >= maxPieces) break;
    add(match.index);
    from = match.index + match[0].length;
    for (const code of (match[1] || "0").split(";").map(Number)) {
      if (code === 0) [colour, isBold] = ["", false];
      else if (code === 1) isBold = true;
      else if (code === 22) isBold = false;
      else if (code === 39) colour = "";
      else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) colour = `ansi-${code % 10}`;
    }
  }
  add(line.length);
  return pieces;
}
