import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { FileRefusal } from "../project-files/index.ts";
import { findThread, isAlive, type Stat } from "./process-stat.ts";
import { readSmall } from "./read-small.ts";
import { waitingRead } from "./waiting-reads.ts";

/**
 * Resident memory with shared pages counted in full, huge pages, what is in swap, where a program may send all of its memory
 * (`MADV_PAGEOUT`), and what the kernel needs to find its pages: cheap, and never too low. The tables are no resident memory: a
 * program that reads one page of each two megabytes that it has reserved takes four kilobytes each time, and nothing else. One
 * that maps single pages far apart takes twice as much. Nor is the table of its open files, which is as long as their highest
 * number.
 */
export function residentBytes(pid: number): number {
  return residentIn(readStatus(pid));
}

/** What the kernel tells of its memory; empty when it does not exist. */
function readStatus(pid: number): string {
  return readSmall(`/proc/${pid}/status`);
}

/** The same of a process, also when the thread of it that lived has ended since. */
export function statusOf({ pid, thread }: Stat): string {
  const status = readStatus(thread);
  if (thread === pid || hasMemory(status)) return status;
  return findThread(pid, "status", hasMemory)?.text ?? status;
}

/** Whether it lives, but the thread of it by which it was to be looked at has ended. */
export function isOutrun(one: Stat): boolean {
  try {
    return one.thread !== one.pid && !hasMemory(readStatus(one.thread)) && isAlive(one);
  } catch {
    // Nobody can tell now.
    return false;
  }
}

/** One that is about to end has none any more. */
function hasMemory(status: string): boolean {
  return status.includes("\nVmRSS:");
}

export function residentIn(status: string): number {
  return 1024 * sumIn(status, ["VmRSS", "VmSwap", "HugetlbPages"]) + tablesIn(status);
}

/** How many files a process has open; older kernels tell only for how many it has room. */
export function openFiles(pid: number): number {
  try {
    const { size = 0 } = statSync(`/proc/${pid}/fd`, { throwIfNoEntry: false }) ?? {};
    return size > 0 ? size : numberIn(readStatus(pid), "FDSize");
  } catch {
    return 0;
  }
}

/** What it has of its own, or shares with those it has forked; the kernel tells this at once, whatever its threads do. */
function anonymousBytes(pid: number): number {
  return anonymousIn(readStatus(pid));
}

export function anonymousIn(status: string): number {
  return 1024 * sumIn(status, ["RssAnon", "VmSwap", "HugetlbPages"]) + tablesIn(status);
}

/** What the kernel needs to find its pages and its open files. */
function tablesIn(status: string): number {
  return 1024 * numberIn(status, "VmPTE") + 8 * numberIn(status, "FDSize");
}

function sumIn(text: string, names: readonly string[]): number {
  return names.reduce((total, name) => total + numberIn(text, name), 0);
}

/** The kernel ends lines with a line feed alone. A program's name may hold what else JavaScript takes for the end of one. */
function numberIn(text: string, name: string): number {
  return Number(new RegExp(`(?:^|\\n)${name}:\\s+(\\d+)`).exec(text)?.[1] ?? 0);
}

export interface ProportionalMemory {
  readonly bytes: number;
  /** The part of it that lies in files in memory. */
  readonly sharedBytes: number;
}

/** Its proportional share of memory and swap; reading it is slow for large processes, so it is not done on this thread. */
export async function proportionalMemory(pid: number): Promise<ProportionalMemory> {
  try {
    const path = `/proc/${pid}/smaps_rollup`;
    const text = await waitingRead(path, () => readFile(path, "utf8"));
    const kilobytes = (name: string) => numberIn(text, name);
    // Huge pages that it shares are of a file in memory, which counts as such.
    const bytes = sumIn(text, ["Pss", "SwapPss", "Private_Hugetlb"]) * 1024 + tablesIn(readStatus(pid));
    return { bytes, sharedBytes: kilobytes("Pss_Shmem") * 1024 };
  } catch (error) {
    return { bytes: error instanceof FileRefusal ? anonymousBytes(pid) : residentBytes(pid), sharedBytes: 0 };
  }
}
