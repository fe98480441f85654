import { readAnsi } from "./read-ansi.ts";

/** A line as its program coloured it, as text: nothing in it is markup. */
export function AnsiText({ line }: { readonly line: string }) {
  return (
    <>
      {readAnsi(line).map((piece, index) => (
        <span key={index} class={piece.class}>
          {piece.text}
        </span>
      ))}
    </>
  );
}
