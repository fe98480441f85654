import { answerQuestions } from "../../platform/bounded-thread.ts";
import type { TimedScan } from "./file-scanner.ts";
import { type FileToScan, scanFile } from "./scan-file.ts";

answerQuestions(async (file: FileToScan): Promise<TimedScan> => {
  const before = process.threadCpuUsage();
  const scan = await scanFile(file);
  const { user, system } = process.threadCpuUsage(before);
  return { scan, usedMs: (user + system) / 1000 };
});
