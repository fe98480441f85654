import { BoundedThread } from "../../platform/bounded-thread.ts";
import { FileRefusal } from "../../platform/project-files/index.ts";
import type { RawCoverage } from "./code-coverage/raw-coverage.ts";
import { readCobertura } from "./code-coverage/read-cobertura.ts";
import { type JunitOptions, type ReportedCase, readJunit } from "./read-junit.ts";

/** What the thread gets: JUnit with these options, else Cobertura. */
export interface XmlReport {
  readonly xml: string;
  readonly junit?: JunitOptions;
}

/** A smaller report is read before a thread has started. */
const maxInlineLength = 128 * 1024;
const bounds = { cpuLimitMs: 60_000, heapMb: 1_024 };

/** Reads JUnit XML of any size without holding the service up; undefined if it is something else. */
export async function readJunitReport(
  xml: string,
  junit: JunitOptions,
  signal: AbortSignal,
): Promise<readonly ReportedCase[] | undefined> {
  if (xml.length <= maxInlineLength) return readJunit(xml, junit);
  return readInThread<readonly ReportedCase[]>({ xml, junit }, signal);
}

/** The same for Cobertura. */
export async function readCoberturaReport(xml: string, signal: AbortSignal): Promise<RawCoverage | undefined> {
  return xml.length <= maxInlineLength ? readCobertura(xml) : readInThread<RawCoverage>({ xml }, signal);
}

async function readInThread<Found>(report: XmlReport, signal: AbortSignal): Promise<Found | undefined> {
  const thread = new BoundedThread<XmlReport, Found | undefined>(new URL("./xml-thread.ts", import.meta.url), bounds);
  try {
    const told = await thread.ask(report, signal);
    if ("answer" in told) return told.answer;
    throw new FileRefusal("too_large", "the XML report", told.error);
  } finally {
    thread.close();
  }
}
