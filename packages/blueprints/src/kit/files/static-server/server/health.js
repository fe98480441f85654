// Ends with 0 when the running server says that it is well.
const { HOST = "127.0.0.1", PORT = "3000" } = process.env;
const host = HOST === "0.0.0.0" || HOST === "::" ? "127.0.0.1" : HOST;

try {
  const { status } = await fetch(`http://${host}:${PORT}/health`, { signal: AbortSignal.timeout(5000) });
  console.log(`/health answers ${status}`);
  process.exitCode = status === 200 ? 0 : 1;
} catch (error) {
  console.error(`/health does not answer: ${error.message}`);
  process.exitCode = 1;
}
