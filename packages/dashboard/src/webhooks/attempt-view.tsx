import type { DeliveryAttempt } from "@slipway/contract";
import { Chip } from "../parts/status.tsx";
import { Ago } from "../parts/time.tsx";

/** One request to a receiver and its response, as text. */
export function AttemptView({ attempt }: { readonly attempt: DeliveryAttempt }) {
  const { number, at, duration_ms, request, response, error } = attempt;
  const sent = `POST ${request.url}`;
  const size = `${request.body_bytes} bytes, SHA-256 ${request.body_sha256}`;
  const isGood = response !== null && response.status >= 200 && response.status < 300;
  return (
    <section class="attempt" aria-label={`Attempt ${number}`}>
      <p>
        <Chip tone={isGood ? "good" : "bad"}>{response === null ? "no response" : String(response.status)}</Chip>{" "}
        attempt {number}, <Ago at={at} />, {duration_ms} ms
      </p>
      {error !== null && <p class="error">{error}</p>}
      <h3>Request</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <pre tabIndex={0}>{show(sent, request.headers, size)}</pre>
      {response !== null && (
        <>
          <h3>Response</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
          <pre tabIndex={0}>{show(String(response.status), response.headers, response.body)}</pre>
        </>
      )}
    </section>
  );
}

function show(first: string, headers: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [first, ...lines, "", body].join("\n");
}
