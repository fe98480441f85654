import { Refusal } from "../errors/index.ts";
import { BlobError } from "./blob-store.ts";

/** Turns errors of the blob store into refusals; throws any other error unchanged. */
export function refuseBlobError(error: unknown): never {
  throw error instanceof BlobError ? refusalOf(error) : error;
}

/** What a caller is told of an error of the blob store. */
export function refusalOf(error: BlobError): Refusal {
  switch (error.code) {
    case "quota_exceeded":
      return new Refusal("quota_exceeded", error.message);
    case "no_space":
    case "store_unavailable":
      return new Refusal("overloaded", error.message, { headers: { "retry-after": "60" }, cause: error });
    case "blob_missing":
    case "blob_changed":
      return new Refusal("artifact_damaged", "Stored bytes are missing or damaged.", { cause: error });
  }
}
