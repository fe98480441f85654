import { useLayoutEffect, useRef } from "preact/hooks";
import { AnsiText } from "./ansi-text.tsx";

interface Props {
  readonly class: string;
  readonly lines: readonly { readonly text: string }[];
}

/** The last lines of a log, with the very last in view. */
export function LogTail({ lines, ...rest }: Props) {
  const box = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    box.current!.scrollTop = box.current!.scrollHeight;
  }, [lines]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard
    <pre class={rest.class} tabIndex={0} ref={box}>
      {lines.map(({ text }, index) => (
        <div key={index}>
          <AnsiText line={text} />
        </div>
      ))}
    </pre>
  );
}
