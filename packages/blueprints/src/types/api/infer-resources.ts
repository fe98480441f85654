import { inferFields } from "./infer-fields.ts";
import type { FieldModel } from "./model.ts";
import { isParameter, isPlural, lastWord, type PathShape, shapeFrom } from "./path-shape.ts";
import { type ExpectedRequest, exactStatus, isSuccess } from "./read-requests.ts";

/** A resource that only requests show, not `data_model`. */
export interface InferredResource {
  readonly shape: PathShape;
  readonly fields: Readonly<Record<string, FieldModel>>;
  readonly isSingle: boolean;
}

/** Infers collections from the shapes of request paths and from the bodies sent to them. */
export function inferResources(requests: readonly ExpectedRequest[]): readonly InferredResource[] {
  const shapes = new Map<string, PathShape>();
  const note = (shape: PathShape) => {
    if (lastWord(shape) !== undefined && !shapes.has(shape.key)) shapes.set(shape.key, shape);
  };
  for (const request of requests) {
    for (const collection of collectionsAbove(request.shape)) note(collection);
    if (isCollectionCall(request)) note(request.shape);
  }
  const collections = new Set(shapes.keys());
  for (const request of requests) if (isSingleCall(request)) note(request.shape);
  return [...shapes.values()]
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map((shape) => ({
      shape,
      fields: inferFields(requests.filter((request) => isOf(shape, request.shape))),
      isSingle: !collections.has(shape.key),
    }));
}

/** `PUT /settings`: a single record, changed in place. */
function isSingleCall(request: ExpectedRequest): boolean {
  const isUnderRecord = isParameter(request.shape.segments.at(-2));
  return ["PUT", "PATCH"].includes(request.method) && isSuccess(request) && !isUnderRecord;
}

/** `/users/{id}/posts/{id}` has `/users` and `/users/{id}/posts` above it. */
function collectionsAbove({ segments }: PathShape): PathShape[] {
  return segments.flatMap((segment, index) =>
    isParameter(segment) && index > 0 && !isParameter(segments[index - 1]) ? [shapeFrom(segments.slice(0, index))] : [],
  );
}

function isCollectionCall(request: ExpectedRequest): boolean {
  const word = lastWord(request.shape);
  if (word === undefined) return false;
  const status = exactStatus(request);
  // Below a record, a word that is not a plural is an action on it.
  const isUnderRecord = isParameter(request.shape.segments.at(-2));
  if (request.method === "POST" && status === 201) return !isUnderRecord || isPlural(word);
  if (!isPlural(word)) return false;
  return (
    (request.method === "GET" && (isSuccess(request) || status === 401)) ||
    (request.method === "POST" && status !== 404 && status !== 405)
  );
}

/** Whether a path is the collection's own, or that of a record in it. */
export function isOf(collection: PathShape, path: PathShape): boolean {
  return path.key === collection.key || path.key === `${collection.key}/{}`;
}
