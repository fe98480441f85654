/** Something of a folder that is not in its archive, or of an archive that is not in its folder. */
export interface LeftOut {
  readonly path: string;
  readonly reason: string;
  /** A pipe, a socket or a device has no content that could be lost. */
  readonly isLoss: boolean;
}
