import { answerQuestions } from "../../platform/bounded-thread.ts";
import { readCobertura } from "./code-coverage/read-cobertura.ts";
import { readJunit } from "./read-junit.ts";
import type { XmlReport } from "./read-xml-report.ts";

answerQuestions(async ({ xml, junit }: XmlReport) =>
  junit === undefined ? readCobertura(xml) : readJunit(xml, junit),
);
