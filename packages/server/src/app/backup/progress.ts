/** Tells people what is being done. */
export type Progress = (doing: string) => void;

const quietMs = 1_000;

/** Writes a line to standard error at most once a second, and none if everything is done within the first. */
export function tellProgress(write: (line: string) => void): Progress {
  let lastMs = performance.now();
  return (doing) => {
    const nowMs = performance.now();
    if (nowMs - lastMs < quietMs) return;
    lastMs = nowMs;
    write(`${doing}\n`);
  };
}
