import { startService } from "./start-service.js";

const { title, url, stop } = await startService(process.env);
console.log(`${title} listens on ${url}`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
