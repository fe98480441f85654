export { appendEvent, newEvent } from "./append-event.ts";
export { type BoundedData, boundedData } from "./bounded-data.ts";
export { ProjectSignals, projectsChannel } from "./project-signals.ts";
export {
  type EventRow,
  findLogEnd,
  type LogEnd,
  type LogPosition,
  type NewEvent,
  selectEvents,
  selectEventsInCommitOrder,
} from "./store.ts";
