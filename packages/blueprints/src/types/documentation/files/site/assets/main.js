import { addCopyButtons } from "./copy.js";

// Without a secure connection a browser has no clipboard: then there is nothing that a button could do.
if (navigator.clipboard !== undefined) addCopyButtons(document, navigator.clipboard);
