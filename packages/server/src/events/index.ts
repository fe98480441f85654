export { appendEvent } from "./append-event.ts";
export { ProjectSignals, projectsChannel } from "./project-signals.ts";
export { selectEvents } from "./store.ts";
export { showEvent, streamEvents } from "./stream-events.ts";
