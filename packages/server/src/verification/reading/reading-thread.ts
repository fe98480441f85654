import { answerQuestions } from "../../platform/bounded-thread.ts";
import { answer } from "./readers.ts";

answerQuestions(answer);
