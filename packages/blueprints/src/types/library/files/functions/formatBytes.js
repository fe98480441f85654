//@ (bytes: number, decimals?: number): string
export function formatBytes(bytes, decimals = 1) {
  if (!(bytes >= 0)) throw new RangeError("bytes must be at least 0");
  let size = bytes;
  let unit = 0;
  for (; size >= 1024 && unit < byteUnits.length - 1; unit += 1) size /= 1024;
  return `${Number(size.toFixed(decimals))} ${byteUnits[unit]}`;
}

const byteUnits = ["B", "KB", "MB", "GB", "TB", "PB"];
//: formatBytes(1536, 1) => "1.5 KB"
//: formatBytes(10, 1) => "10 B"
//: formatBytes(-1, 1) !! RangeError
