import { boot } from "./boot.js";
import { model } from "./model.js";

window.readForm = (form) => Object.fromEntries(new FormData(form));
boot(window, model);
