import { HttpError } from "./http.js";

/** What the caller is told of an error: the reason of a refusal, and of a fault nothing but that there was one. */
export function refusalOf({ report }, _request, error) {
  const { status, body, headers } = asRefusal(error, report);
  return { status, headers, body };
}

/** The error as a refusal; a fault is reported here. */
export function asRefusal(error, report) {
  if (error instanceof HttpError) return error;
  if (error.code === "ERR_INVALID_URL") return new HttpError(400, "bad_path", "The address is not valid.");
  report(error);
  return new HttpError(500, "fault", "Something went wrong here.");
}
