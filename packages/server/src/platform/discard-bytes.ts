/**
 * Gives the memory of bytes that nobody uses any more back now. They would be collected anyway, but late: to the collector they
 * look like a few words, so that megabytes of them come together first.
 */
export function discardBytes({ buffer, byteLength }: Uint8Array): void {
  // Small ones are cut from a slab of Node's, which others share.
  const isPartOfSlab = buffer.byteLength === Buffer.poolSize && byteLength < buffer.byteLength;
  if (buffer instanceof ArrayBuffer && !isPartOfSlab) buffer.transfer(0);
}
