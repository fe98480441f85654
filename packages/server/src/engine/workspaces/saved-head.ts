/** Where a project stands, as the database says: a commit, and the blob from which any node can fetch it. */
export interface SavedHead {
  readonly commit: string;
  readonly bundle: string;
}

/** Files, and whose repository holds them: a project's or an application's id. */
export interface KeptFiles {
  readonly repositoryId: string;
  readonly source: SavedHead;
}
