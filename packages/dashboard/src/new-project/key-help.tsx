import { useMemo } from "preact/hooks";
import { explainAt } from "./check-document.ts";

interface Props {
  readonly text: string;
  /** Where the caret stands. */
  readonly offset: number;
  /** Writes a text at the caret. */
  readonly onInsert: (text: string) => void;
}

const maxKeys = 24;

/** What the key at the caret means, which words it may be, and which keys may stand below it: one press writes them. */
export function KeyHelp({ text, offset, onInsert }: Props) {
  const help = useMemo(() => explainAt(text, offset), [text, offset]);
  if (help === undefined) return null;
  const { path, description, value, words, keys, indent } = help;
  return (
    <section class="key-help" aria-label={`About ${path}`}>
      <h2>
        <code>{path}</code>
      </h2>
      <p>{description}</p>
      <p class="faint">{value}</p>
      {words.length > 0 && (
        <dl class="facts">
          {words.map(({ word, meaning }) => (
            <div key={word}>
              <dt>{word}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      )}
      {keys.length > 0 && (
        <div class="buttons">
          {keys.slice(0, maxKeys).map(({ key, description: about }) => (
            <button key={key} type="button" title={about} onClick={() => onInsert(`\n${" ".repeat(indent)}${key}: `)}>
              {key}
            </button>
          ))}
        </div>
      )}
    </section>
  );
}
