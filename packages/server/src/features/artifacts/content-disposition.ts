/** The header by which browsers save a file under its name: in ASCII for old ones, in UTF-8 for others (RFC 6266). */
export function contentDisposition(fileName: string): string {
  const name = fileName.toWellFormed().replace(/[\p{Cc}/\\]/gu, "_");
  const plain = name.replace(/[^\x20-\x7e]/g, "_").replace(/["%]/g, "_");
  if (plain === name) return `attachment; filename="${plain}"`;
  const encoded = encodeURIComponent(name).replace(
    /['()*!]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
