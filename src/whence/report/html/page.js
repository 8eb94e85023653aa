"use strict";
(() => {
  const findings = [...document.querySelectorAll("#findings > .finding")];
  const search = document.getElementById("search");
  const rule = document.getElementById("rule");
  const shown = document.getElementById("shown");
  const texts = new Map(findings.map((each) => [each, each.textContent.toLowerCase()]));

  const visible = () => findings.filter((each) => !each.hidden);

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const each of findings) {
      const fits = !rule.value || each.dataset.rule === rule.value;
      each.hidden = !fits || !words.every((word) => texts.get(each).includes(word));
    }
    shown.textContent = `${visible().length} of ${findings.length}`;
  }

  function move(step) {
    const all = visible();
    if (!all.length) return;
    const now = all.indexOf(document.activeElement.closest(".finding"));
    const next = all[now < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(now + step, 0), all.length - 1)];
    next.querySelector("summary").focus();
    next.scrollIntoView({ block: "nearest" });
  }

  function toggleCode(button) {
    const open = button.getAttribute("aria-expanded") === "true";
    if (open) button.nextElementSibling.remove();
    else button.after(document.getElementById(button.dataset.code).content.cloneNode(true));
    button.setAttribute("aria-expanded", String(!open));
  }

  const preferred = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const dark = () => (chosen === null ? preferred.matches : chosen);
  const paint = () => { document.documentElement.dataset.theme = dark() ? "dark" : "light"; };
  const flip = () => { chosen = !dark(); paint(); };
  preferred.addEventListener("change", paint);
  paint();

  search.addEventListener("input", filter);
  rule.addEventListener("change", filter);
  document.getElementById("theme").addEventListener("click", flip);
  document.getElementById("open-all").addEventListener("click", () => visible().forEach((each) => { each.open = true; }));
  document.getElementById("close-all").addEventListener("click", () => visible().forEach((each) => { each.open = false; }));
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-code]");
    if (button) toggleCode(button);
    const link = event.target.closest('a[href^="#finding-"]');
    if (link) document.querySelector(link.getAttribute("href")).open = true;
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.matches("input, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const actions = {
      j: () => move(1),
      k: () => move(-1),
      o: () => { const at = document.activeElement.closest(".finding"); if (at) at.open = !at.open; },
      t: flip,
      "/": () => { search.focus(); search.select(); },
    };
    if (event.key in actions) { event.preventDefault(); actions[event.key](); }
  });
})();
