/**
 * The dashboard in Chromium, against the service: how much script the first load takes, when the page of a project can be used,
 * and how long the page stands still while somebody scrolls through much: `npm run bench:dashboard`.
 */
import { gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "playwright-core";
import { findBrowser } from "../packages/server/src/verification/browser/find-browser.ts";
import { buildDashboard, ownDashboard } from "../tools/build-dashboard.ts";
import { longestTask } from "./dashboard/longest-task.ts";
import { openStage, type Stage } from "./dashboard/stage.ts";
import { stopAll } from "./http/processes.ts";
import { median, printRow, sized } from "./measure.ts";

const load = { projects: sized(10_000, 120), tasks: sized(300, 40), lines: sized(1_000_000, 400) };
/** Of the pictures that are drawn while somebody scrolls. */
const frameCount = sized(300, 20);
const rounds = sized(5, 1);

const program = await findBrowser();
console.log(`Dashboard (Node ${process.versions.node}; ${rounds} rounds)`);
printRow("", "", "", "goal");
if (program === undefined) printRow("everything", "0", "", "not measured: Chromium is not installed");
else {
  const browser = await chromium.launch({
    executablePath: program,
    chromiumSandbox: process.getuid?.() !== 0,
    args: ["--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
  });
  try {
    await buildDashboard(ownDashboard);
    await measure(browser, await openStage(load));
  } finally {
    await browser.close();
    await stopAll();
  }
}

async function measure(browser: Browser, stage: Stage): Promise<void> {
  const page = await browser.newPage();
  page.setDefaultTimeout(600_000);
  const bodies: Promise<Buffer>[] = [];
  const gather = (response: { url(): string; body(): Promise<Buffer> }) => {
    if (response.url().endsWith(".js")) bodies.push(response.body());
  };
  page.on("response", gather);
  await page.goto(await stage.signInLink());
  await page.locator(".project-row").first().waitFor();
  page.off("response", gather);
  const scriptBytes = (await Promise.all(bodies)).reduce((sum, body) => sum + gzipSync(body).length, 0);
  printRow("first load: script, compressed", `${(scriptBytes / 1_000).toFixed(0)} kB`, "", "≤ 250 kB");

  const interactive: number[] = [];
  for (let round = 0; round < rounds; round += 1) interactive.push(await timeToGraph(page, stage));
  printRow("page of a project, until its graph is there", `${median(interactive).toFixed(0)} ms`, "", "≤ 1,000 ms");

  printRow("longest task of the page's main thread:", "of the CPU", "by clock");
  await page.goto("about:blank");
  await row(browser, page, "control: an empty page that computes 5 ms a frame", () => computeFrames(page), "");
  await page.goto(stage.address);
  await page.locator(".project-row").first().waitFor();
  await row(browser, page, `scroll through ${load.projects} projects`, () => scrollProjects(page));
  await page.goto(`${stage.address}${stage.graph}`);
  await page
    .locator(".graph-task")
    .nth(load.tasks - 1)
    .waitFor();
  await row(browser, page, `scroll over a graph of ${load.tasks} tasks, open one`, () => scrollGraph(page));
  await row(browser, page, `load a log of ${load.lines} lines`, () => loadLog(page, stage));
  await row(browser, page, `scroll through ${load.lines} lines`, () => scrollLog(page));
}

async function row(
  browser: Browser,
  page: Page,
  what: string,
  happen: () => Promise<void>,
  goal = "≤ 50 ms",
): Promise<void> {
  const { cpuMs, wallMs } = await longestTask(browser, page, happen);
  printRow(what, `${cpuMs.toFixed(0)} ms`, `${wallMs.toFixed(0)} ms`, goal);
}

/** What the machine itself adds by the clock: nothing of ours runs here. */
function computeFrames(page: Page): Promise<void> {
  return page.evaluate(
    (count) =>
      new Promise<void>((resolve) => {
        let frames = 0;
        const step = () => {
          const untilMs = performance.now() + 5;
          while (performance.now() < untilMs);
          frames += 1;
          if (frames === count) resolve();
          else requestAnimationFrame(step);
        };
        step();
      }),
    frameCount,
  );
}

/** From the beginning of the navigation to the picture with all tasks. */
async function timeToGraph(page: Page, stage: Stage): Promise<number> {
  await page.goto(`${stage.address}${stage.graph}`, { waitUntil: "commit" });
  return page.evaluate(
    (tasks) =>
      new Promise<number>((resolve) => {
        const look = () => {
          if (document.querySelectorAll(".graph-task").length >= tasks) resolve(performance.now());
          else requestAnimationFrame(look);
        };
        look();
      }),
    load.tasks,
  );
}

/** Down to the last project, a screen a frame; further pages come meanwhile. */
function scrollProjects(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const box = document.querySelector(".projects")!;
        const step = () => {
          box.scrollBy(0, box.clientHeight);
          const isAtEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
          if (isAtEnd && box.getAttribute("aria-label")?.endsWith("more") === false) resolve();
          else requestAnimationFrame(step);
        };
        step();
      }),
  );
}

async function scrollGraph(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const box = document.querySelector(".graph")!;
        const step = () => {
          box.scrollBy(60, 20);
          if (box.scrollLeft + box.clientWidth >= box.scrollWidth - 1) resolve();
          else requestAnimationFrame(step);
        };
        step();
      }),
  );
  await page.locator(".graph-task").last().click();
  await page.getByRole("region", { name: /^Task / }).waitFor();
}

async function loadLog(page: Page, stage: Stage): Promise<void> {
  await page.goto(`${stage.address}${stage.log}`);
  await page.getByText(`${load.lines} lines`, { exact: true }).waitFor();
}

/** Up from the end, then by leaps, then a screen a frame. */
function scrollLog(page: Page): Promise<void> {
  return page.evaluate(
    (count) =>
      new Promise<void>((resolve) => {
        const box = document.querySelector(".log")!;
        let frames = 0;
        const step = () => {
          frames += 1;
          if (frames <= count / 3) box.scrollTop = (box.scrollHeight * ((frames * 37) % 100)) / 100;
          else box.scrollBy(0, box.clientHeight);
          if (frames === count) resolve();
          else requestAnimationFrame(step);
        };
        step();
      }),
    frameCount,
  );
}
