"use strict";
const one = (selector, inside = document) => inside.querySelector(selector);
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

// Light and dark: as the system has it, until somebody says otherwise.
(() => {
  const button = one("#theme"), system = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const dark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const tell = () => button.setAttribute("aria-pressed", dark());
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; tell(); });
  system.addEventListener("change", tell);
  tell();
})();

// One part at a time; arrow keys go from tab to tab.
const show = (() => {
  const buttons = all("[role=tab]");
  const open = key => buttons.forEach(button => {
    const on = button.getAttribute("aria-controls") === key;
    button.setAttribute("aria-selected", on);
    button.tabIndex = on ? 0 : -1;
    const panel = document.getElementById(button.getAttribute("aria-controls"));
    if (on) panel.removeAttribute("hidden");
    else panel.setAttribute("hidden", "until-found");
  });
  buttons.forEach((button, i) => {
    const key = button.getAttribute("aria-controls");
    button.addEventListener("click", () => open(key));
    document.getElementById(key).addEventListener("beforematch", () => open(key));
    button.addEventListener("keydown", event => {
      const last = buttons.length - 1;
      const to = { ArrowRight: i === last ? 0 : i + 1, ArrowLeft: i ? i - 1 : last, Home: 0, End: last };
      if (!(event.key in to)) return;
      event.preventDefault();
      buttons[to[event.key]].click();
      buttons[to[event.key]].focus();
    });
  });
  return open;
})();

// On paper all is open, but the numbers by site of each card: hundreds of tables, for those who open them.
(() => {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("details:not([open])").filter(each => !each.closest(".card"));
    opened.forEach(each => { each.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach(each => { each.open = false; }));
})();
