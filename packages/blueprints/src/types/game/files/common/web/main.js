import { rules } from "../engine/rules.js";
import { boot } from "./boot.js";

boot(window, rules);
