import { parentPort } from "node:worker_threads";
import { type FileToScan, scanFile } from "./scan-file.ts";

parentPort?.on("message", (file: FileToScan) => {
  scanFile(file).then(
    (scan) => parentPort?.postMessage({ scan }),
    (error: unknown) => parentPort?.postMessage({ error: String((error as Error)?.message ?? error).slice(0, 200) }),
  );
});
