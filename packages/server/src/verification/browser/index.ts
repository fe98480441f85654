export { checkFlows, isFollowable, judgeUnreadFlows } from "./check-flows.ts";
export { findBrowser, howToGetBrowser } from "./find-browser.ts";
