import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

interface PageProps {
  /** Of what the page shows; empty where it shows all. */
  readonly id: string;
}

/** A page whose script is loaded when somebody opens it. */
export type LazyPart = () => Promise<ComponentType<PageProps>>;

export function lazy(load: LazyPart): LazyPart {
  let loading: Promise<ComponentType<PageProps>> | undefined;
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

interface Loaded {
  readonly part: LazyPart;
  readonly Page?: ComponentType<PageProps>;
  readonly hasFailed?: boolean;
}

/** Shows such a page once it is there. */
export function Suspense({ part, id }: PageProps & { readonly part: LazyPart }) {
  const [loaded, setLoaded] = useState<Loaded>({ part });
  useEffect(() => {
    part().then(
      (Page) => setLoaded({ part, Page }),
      () => setLoaded({ part, hasFailed: true }),
    );
  }, [part]);
  // Until the effect ran, the page before this one is still there.
  const { Page, hasFailed } = loaded.part === part ? loaded : {};
  if (hasFailed) return <p class="center">This page could not be loaded. Reload to try again.</p>;
  return Page === undefined ? <p class="center faint">Loading…</p> : <Page id={id} />;
}
