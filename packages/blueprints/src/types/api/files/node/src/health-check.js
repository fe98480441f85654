// Ends with 0 when the service that runs here is well.
const { HOST = "127.0.0.1", PORT = "3000" } = process.env;
const { ok } = await fetch(`http://${HOST}:${PORT}/health`).catch(() => ({ ok: false }));
process.exitCode = ok ? 0 : 1;
