/** The largest upload in a single request. */
export const maxSingleUploadBytes = 64 * 1024 * 1024;

/** The largest chunk of an upload. */
export const maxPieceBytes = 16 * 1024 * 1024;
