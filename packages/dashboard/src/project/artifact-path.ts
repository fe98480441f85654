/** The page that shows an artifact. */
export function artifactHref(projectId: string, path: string, checkpoint = ""): string {
  const at = checkpoint === "" ? "" : `&at=${encodeURIComponent(checkpoint)}`;
  return `/projects/${projectId}?tab=artifacts&path=${encodeURIComponent(path)}${at}`;
}

/** Where an artifact is downloaded; each part is encoded, so that no name changes the address. */
export function downloadUrl(projectId: string, path: string, checkpoint = ""): string {
  const parts = path.split("/").filter((part) => part !== "");
  const at = checkpoint === "" ? "" : `?checkpoint=${encodeURIComponent(checkpoint)}`;
  return `/api/v1/projects/${projectId}/artifacts/${parts.map(encodeURIComponent).join("/")}${at}`;
}

/** A size in its largest unit: `12 kB`. */
export function shortSize(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Math.round(bytes / 1000 ** step)} ${units[step]}`;
}
