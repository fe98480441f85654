import { boot } from "./boot.js";
import { model } from "./model.js";

window.readForm = (form) => Object.fromEntries(new FormData(form));
window.pickFile = (accepts) =>
  new Promise((resolve) => {
    const input = Object.assign(document.createElement("input"), { type: "file", accept: accepts.join(",") });
    input.addEventListener("change", async () => resolve({ name: input.files[0].name, text: await input.files[0].text() }));
    input.addEventListener("cancel", () => resolve(undefined));
    input.click();
  });
boot(window, model);
