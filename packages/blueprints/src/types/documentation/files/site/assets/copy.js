/** Puts a button at each code sample that copies it. The words of the buttons are on the page's body. */
export function addCopyButtons(page, clipboard) {
  const { copy, copied } = page.body.dataset;
  for (const sample of page.querySelectorAll("pre")) {
    const button = page.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = copy;
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      try {
        await clipboard.writeText(sample.textContent);
        button.textContent = copied;
      } catch {
        // Where the browser forbids it, the sample has the focus and can be copied by hand.
        sample.focus();
      }
    });
    button.addEventListener("blur", () => {
      button.textContent = copy;
    });
    sample.before(button);
  }
}
