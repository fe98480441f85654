/** A path or a file of the project's folder that an agent may not use as it asked; the message says why. */
export class PathRefusal extends Error {
  override readonly name = "PathRefusal";
}
