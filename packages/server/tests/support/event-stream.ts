import { onTestFinished } from "vitest";

interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: { sequence: number; event: string; project_id: string; data: Record<string, unknown> };
}

export interface EventStream {
  readonly response: Response;
  /** The next event; fails when the stream ended instead. */
  next(): Promise<StreamedEvent>;
  /** Fulfilled with the events that were not yet asked for, when the other side has ended the stream. */
  rest(): Promise<StreamedEvent[]>;
  close(): void;
}

/** Reads a stream of events as a browser would. It is closed when the test is over. */
export async function openEventStream(url: string, headers: Record<string, string>): Promise<EventStream> {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const response = await fetch(url, { headers: { accept: "text/event-stream", ...headers }, signal: over.signal });
  const events = readEvents(response);
  return {
    response,
    next: async () => {
      const { done, value } = await events.next();
      if (done) throw new Error("The stream has ended.");
      return value;
    },
    rest: async () => {
      const left: StreamedEvent[] = [];
      for await (const event of events) left.push(event);
      return left;
    },
    close: () => over.abort(),
  };
}

async function* readEvents(response: Response): AsyncGenerator<StreamedEvent, undefined> {
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      const fields = new Map(
        frame.split("\n").map((line) => /^(\w*): (.*)$/s.exec(line)?.slice(1) as [string, string]),
      );
      const data = fields.get("data");
      if (data === undefined) continue;
      yield { id: fields.get("id") ?? "", event: fields.get("event") ?? "", data: JSON.parse(data) };
    }
  }
  return undefined;
}
