// Everything works without this script; with it, filters apply as soon as they are chosen, and the app works offline.
for (const form of document.querySelectorAll("form.filters"))
  form.addEventListener("change", () => form.requestSubmit());

const first = document.querySelector("[aria-invalid='true']");
first?.focus();

const { serviceWorker } = document.body.dataset;
if (serviceWorker !== undefined && "serviceWorker" in navigator) navigator.serviceWorker.register(serviceWorker);
