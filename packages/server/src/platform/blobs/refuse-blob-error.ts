import { Refusal } from "../errors/index.ts";
import { BlobError } from "./blob-store.ts";

/** Turns errors of the blob store into refusals; throws any other error unchanged. */
export function refuseBlobError(error: unknown): never {
  if (!(error instanceof BlobError)) throw error;
  switch (error.code) {
    case "quota_exceeded":
      throw new Refusal("quota_exceeded", error.message);
    case "no_space":
    case "store_unavailable":
      throw new Refusal("overloaded", error.message, { headers: { "retry-after": "60" }, cause: error });
    case "blob_missing":
    case "blob_changed":
      throw new Refusal("artifact_damaged", "Stored bytes are missing or damaged.", { cause: error });
  }
}
