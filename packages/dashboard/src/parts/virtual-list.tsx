import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props {
  readonly count: number;
  readonly rowHeight: number;
  readonly class: string;
  readonly label: string;
  readonly row: (index: number) => ComponentChildren;
  /** Stay at the end while more comes. */
  readonly follows?: boolean;
  /** Called when somebody scrolls, with whether they are at the end. */
  readonly onScrolled?: (isAtEnd: boolean) => void;
  /** A row to bring into view. */
  readonly target?: number | undefined;
}

/** As much above and below what is in view is ready, too. */
const sparePx = 240;

/** A list of any length with rows of one height: only those in view are in the page. */
export function VirtualList({ count, rowHeight, label, row, follows = false, onScrolled, target, ...rest }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const measure = () => {
    const { scrollTop, clientHeight } = box.current!;
    setView((before) =>
      before.top === scrollTop && before.height === clientHeight ? before : { top: scrollTop, height: clientHeight },
    );
  };
  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (follows) box.current!.scrollTop = count * rowHeight;
  }, [follows, count]);
  useLayoutEffect(() => {
    if (target !== undefined) box.current!.scrollTop = Math.max(0, target * rowHeight - box.current!.clientHeight / 3);
  }, [target]);
  const scrolled = () => {
    measure();
    const { scrollTop, clientHeight, scrollHeight } = box.current!;
    onScrolled?.(scrollTop + clientHeight >= scrollHeight - rowHeight * 2);
  };
  const spare = Math.ceil(sparePx / rowHeight);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - spare);
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + spare);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard
    <section class={`virtual ${rest.class}`} ref={box} onScroll={scrolled} tabIndex={0} aria-label={label}>
      <ul style={{ height: `${count * rowHeight}px` }}>{useRows(first, last, rowHeight, row)}</ul>
    </section>
  );
}

/** The rows in view. Those that were there before are the same objects, which are not compared again while somebody scrolls. */
function useRows(first: number, last: number, rowHeight: number, row: Props["row"]): readonly VNode[] {
  const drawn = useRef<{ readonly by: Props["row"]; readonly rows: ReadonlyMap<number, VNode> }>(undefined);
  const before = drawn.current?.by === row ? drawn.current.rows : undefined;
  const rows = new Map<number, VNode>();
  for (let index = first; index < last; index++) {
    const style = { top: `${index * rowHeight}px`, height: `${rowHeight}px` };
    const item = before?.get(index) ?? (
      <li key={index} style={style}>
        {row(index)}
      </li>
    );
    rows.set(index, item);
  }
  drawn.current = { by: row, rows };
  return [...rows.values()];
}
