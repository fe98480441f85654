import { type ProcessOutcome, threadsPerProcess } from "./process-options.ts";

/**
 * Which limit a run broke, what it used and what to do about it; undefined if it was not ended for what it used. Without a
 * setting, nothing raises the memory limit.
 */
export function limitMessage(
  who: string,
  outcome: ProcessOutcome,
  { memorySetting }: { readonly memorySetting: string | undefined } = { memorySetting: "resources.memory_gb" },
): string | undefined {
  switch (outcome.is) {
    case "memory": {
      const used = `used ${inUnits(outcome.usedBytes, Math.ceil)}, limit was ${inUnits(outcome.limitBytes, Math.round)}`;
      const remedy = memorySetting === undefined ? "Let it use less" : `Raise ${memorySetting}, or let it use less`;
      return `Process killed due to memory limit exceeded. ${who} ${used}. ${remedy}.`;
    }
    case "processes": {
      const used = `started ${outcome.used} processes, limit was ${outcome.limit}`;
      return `Process killed due to process limit exceeded. ${who} ${used}. Start fewer at a time; ${threadsPerProcess} threads count as one.`;
    }
    case "crowd": {
      const had = `had ${outcome.used} processes and threads, more than are left for all others`;
      return `Process killed because the machine has few processes left. ${who} ${had}. Start fewer at a time.`;
    }
    case "files": {
      const used = `had ${outcome.used} files open, limit was ${outcome.limit}`;
      return `Process killed due to open file limit exceeded. ${who} ${used}. Close those that are no longer needed.`;
    }
    case "sockets": {
      const used = `had ${outcome.used} sockets open, limit was ${outcome.limit}`;
      return `Process killed due to socket limit exceeded. ${who} ${used}. Close those that are no longer needed.`;
    }
    case "terminals": {
      const used = `had ${outcome.used} pseudo terminals open, limit was ${outcome.limit}`;
      return `Process killed due to terminal limit exceeded. ${who} ${used}. Close those that are no longer needed.`;
    }
    case "watches": {
      const used = `waited for more than ${outcome.limit} files at once (epoll)`;
      return `Process killed due to watch limit exceeded. ${who} ${used}. Watch fewer.`;
    }
    case "notifiers": {
      const used = `had ${outcome.used} instances of inotify open, limit was ${outcome.limit}`;
      return `Process killed due to inotify limit exceeded. ${who} ${used}. Watch more files with each.`;
    }
    case "mappings": {
      const used = `had more than ${outcome.limit} mappings of memory`;
      return `Process killed due to mapping limit exceeded. ${who} ${used}. Map less, or start fewer processes.`;
    }
    case "hidden": {
      const hid = `hid what ${outcome.used} of its processes had open, which could not be counted`;
      return `Process killed because its limits could not be watched. ${who} ${hid}. Start no program whose file it may not read, and let the first thread of each end last.`;
    }
    case "disk": {
      const used = `took ${inUnits(outcome.used, Math.ceil)} of disk, limit was ${inUnits(outcome.limit, Math.round)}`;
      return `Process killed due to disk limit exceeded. ${who} ${used}. Write less, or remove what is no longer needed.`;
    }
    case "full_disk": {
      const used = `took ${inUnits(outcome.used, Math.ceil)} of it, and the rest is kept for the service`;
      return `Process killed because the disk is nearly full. ${who} ${used}. Make room on the disk, or write less.`;
    }
    case "output": {
      const limit = inUnits(outcome.limit, Math.round);
      return `Process killed due to output limit exceeded. ${who} printed more than ${limit}. Print less.`;
    }
    case "exited":
    case "timeout":
    case "stalled":
    case "cancelled":
      return undefined;
  }
}

/** That a run took longer than it may, and what to do about it. Without a setting, nothing raises the limit. */
export function timeMessage(who: string, limit: string, setting?: string): string {
  const remedy = setting === undefined ? "Make it quicker" : `Raise ${setting}, or make it quicker`;
  return `${who} took longer than ${limit}. ${remedy}.`;
}

/** `2.1GB`, `2GB`, `512MB`, `64KB`. Usage is rounded up, so that it never seems to be within the limit. */
function inUnits(bytes: number, round: (value: number) => number): string {
  const gigabytes = bytes / 2 ** 30;
  if (gigabytes >= 1) return `${round(gigabytes * 10) / 10}GB`;
  const megabytes = bytes / 2 ** 20;
  return megabytes >= 1 ? `${round(megabytes)}MB` : `${round(bytes / 2 ** 10)}KB`;
}
