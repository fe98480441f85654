import { answerQuestions } from "../../platform/bounded-thread.ts";
import { answer } from "./read-bounded.ts";

answerQuestions(answer);
