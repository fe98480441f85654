import { useEffect, useState } from "preact/hooks";
import { explain } from "../data/client.ts";
import { downloadUrl, shortSize } from "./artifact-path.ts";

const maxShownBytes = 1_000_000;
/** Shown as images: a browser runs nothing in an image, also not in an SVG. */
const imageTypes: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
};

type Shown = { readonly text: string } | { readonly image: string } | { readonly note: string };

interface Props {
  readonly id: string;
  readonly path: string;
  readonly checkpoint: string;
}

/** One file: text as text, an image as an image, and everything else to download. */
export function ArtifactViewer({ id, path, checkpoint }: Props) {
  const [shown, setShown] = useState<Shown>({ note: "Loading…" });
  const url = downloadUrl(id, path, checkpoint);
  useEffect(() => {
    let made: string | undefined;
    const show = async (): Promise<Shown> => {
      const blob = await readBlob(url);
      const type = imageTypes[path.split(".").at(-1)!.toLowerCase()];
      if (type !== undefined) {
        made = URL.createObjectURL(new Blob([blob], { type }));
        return { image: made };
      }
      return (await readText(blob)) ?? { note: `It is no text, or has over a megabyte (${shortSize(blob.size)}).` };
    };
    show().then(setShown, (error) => setShown({ note: explain(error) }));
    return () => {
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [url]);
  return (
    <figure class="viewer">
      <figcaption>
        {path}
        <a href={url} download="">
          Download
        </a>
      </figcaption>
      {"note" in shown && <p class="faint">{shown.note}</p>}
      {"image" in shown && <img src={shown.image} alt={path} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      {"text" in shown && <pre tabIndex={0}>{shown.text}</pre>}
    </figure>
  );
}

export async function readBlob(url: string): Promise<Blob> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`The service answered ${response.status}.`);
  return response.blob();
}

/** The text of a file; undefined if it is none, or too long to read. */
export async function readText(blob: Blob): Promise<{ readonly text: string } | undefined> {
  if (blob.size > maxShownBytes) return undefined;
  const text = await blob.text();
  return text.includes("\0") ? undefined : { text };
}
