"use strict";
// Pointing at an element, in the tree or on the picture, shows it in both.
for (const scene of document.querySelectorAll(".scene")) {
  let now = null;
  const parts = (number) => scene.querySelectorAll('[data-n="' + Number(number) + '"]');
  const show = (number) => {
    if (number === now) return;
    if (now !== null) parts(now).forEach((part) => part.classList.remove("on"));
    now = number;
    if (now !== null) parts(now).forEach((part) => part.classList.add("on"));
  };
  const numbered = (event) => event.target.closest("[data-n]");
  for (const kind of ["mouseover", "focusin", "click"]) {
    scene.addEventListener(kind, (event) => {
      const part = numbered(event);
      if (part) show(part.dataset.n);
      if (part && kind === "click") reveal();
    });
  }
  scene.addEventListener("mouseleave", () => show(null));
  const tree = scene.querySelector(".tree");
  const reveal = () => {
    const line = tree && now !== null && tree.querySelector('[data-n="' + Number(now) + '"]');
    if (!line) return;
    const above = line.offsetTop;
    if (above < tree.scrollTop || above > tree.scrollTop + tree.clientHeight - 40) {
      tree.scrollTop = above - tree.clientHeight / 2;
    }
  };
  // The tree begins where it matters.
  const near = scene.querySelector(".near [data-n]");
  const first = near && tree && tree.querySelector('[data-n="' + Number(near.dataset.n) + '"]');
  const chosen = first || (tree && tree.querySelector(".chosen"));
  if (chosen) tree.scrollTop = chosen.offsetTop - tree.clientHeight / 2;
  if (tree) {
    tree.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const last = tree.querySelectorAll("[data-n]").length - 1;
      const next = now === null ? (step > 0 ? 0 : last) : Number(now) + step;
      show(String(Math.min(Math.max(next, 0), last)));
      reveal();
    });
  }
}
