export { appendEvent, newEvent } from "./append-event.ts";
export { ProjectSignals, projectsChannel } from "./project-signals.ts";
export { type NewEvent, selectEvents } from "./store.ts";
export { showEvent, streamEvents } from "./stream-events.ts";
