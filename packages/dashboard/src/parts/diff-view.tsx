import { useMemo } from "preact/hooks";
import { diffLines, hunksOf } from "./line-diff.ts";
import { SomeOf } from "./some-of.tsx";

const marks = { same: " ", added: "+", removed: "−" } as const;

/** What differs between two texts: by signs and by colours. */
export function DiffView({
  before,
  after,
  label,
}: {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly label: string;
}) {
  const lines = useMemo(
    () => hunksOf(diffLines(before, after)).flatMap((lines, hunk) => lines.map((line) => ({ ...line, hunk }))),
    [before, after],
  );
  if (lines.length === 0) return <p class="faint">Nothing differs.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard
    <section tabIndex={0} aria-label={label} class="diff">
      <SomeOf items={lines} step={2_000}>
        {(some) =>
          [...Map.groupBy(some, ({ hunk }) => hunk)].map(([number, hunk]) => (
            <ol key={number} class="diff-hunk">
              {hunk.map(({ kind, text, before: old, after: now }, index) => (
                <li key={index} class={`diff-${kind}`}>
                  <span class="line-number">{old}</span>
                  <span class="line-number">{now}</span>
                  <span>{marks[kind]}</span>
                  <code>{text}</code>
                </li>
              ))}
            </ol>
          ))
        }
      </SomeOf>
    </section>
  );
}
