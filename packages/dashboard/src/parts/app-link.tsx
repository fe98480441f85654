import type { ComponentChildren } from "preact";
import { safeUrl } from "./safe-url.ts";

interface Props {
  readonly url: string | null | undefined;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A link to deployed software, in a window that knows nothing of this one; nothing where the address is none. */
export function AppLink({ url, children, ...rest }: Props) {
  const href = safeUrl(url);
  if (href === undefined) return null;
  return (
    <a {...rest} href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
