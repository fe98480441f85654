/**
 * Frees the memory of unused bytes at once. The garbage collector would free it late, because it only counts the small object
 * in front of the bytes.
 */
export function discardBytes({ buffer, byteLength }: Uint8Array): void {
  // Node allocates small buffers from a shared slab, which must stay.
  const isPartOfSlab = buffer.byteLength === Buffer.poolSize && byteLength < buffer.byteLength;
  if (buffer instanceof ArrayBuffer && !isPartOfSlab) buffer.transfer(0);
}
