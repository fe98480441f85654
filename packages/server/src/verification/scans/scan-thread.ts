import { answerQuestions } from "../../platform/bounded-thread.ts";
import { scanFile } from "./scan-file.ts";

answerQuestions(scanFile);
