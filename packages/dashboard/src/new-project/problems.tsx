import type { Diagnostic } from "./check-document.ts";

interface Props {
  readonly diagnostics: readonly Diagnostic[];
  readonly onGoTo: (diagnostic: Diagnostic) => void;
}

/** What is wrong with the document; one press leads there. */
export function Problems({ diagnostics, onGoTo }: Props) {
  if (diagnostics.length === 0) return <p class="faint">The document is valid.</p>;
  return (
    <ul class="problems" aria-label="Problems">
      {diagnostics.map((diagnostic, index) => (
        <li key={index} class={`problem problem-${diagnostic.severity}`}>
          <button type="button" class="plain" onClick={() => onGoTo(diagnostic)}>
            {diagnostic.severity}, line {diagnostic.line}
          </button>
          <p>{diagnostic.message}</p>
          {diagnostic.suggestion !== undefined && <p class="faint">{diagnostic.suggestion}</p>}
        </li>
      ))}
    </ul>
  );
}
