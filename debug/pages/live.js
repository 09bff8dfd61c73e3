// The key / leads to the search.
addEventListener("keydown", event => {
  const field = document.querySelector("input[type=search]");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || !field || event.target.closest("input, select, textarea")) return;
  event.preventDefault();
  field.focus();
  field.select();
});

// Live updates: the server sends the page each second if it has changed, and what differs
// is changed in place, so that focus, selection and what is folded stay.
(() => {
"use strict";
const main = document.getElementById("main"), button = document.getElementById("live"), status = document.getElementById("status");
const address = document.body.dataset.live;
if (!window.EventSource || !address) return;
let source = null, wanted = true;

const attributes = (have, want) => {
  for (const a of [...have.attributes]) if (!want.hasAttribute(a.name) && a.name !== "open") have.removeAttribute(a.name);
  for (const a of want.attributes) if (a.name !== "open" && have.getAttribute(a.name) !== a.value) have.setAttribute(a.name, a.value);
};
const keyOf = node => node.nodeType === 1 ? node.getAttribute("data-key") : null;
const update = (have, want) => {
  if (have.nodeType !== 1) {
    if (have.data !== want.data) have.data = want.data;
    return;
  }
  if (have.hasAttribute("data-keep") || have.isEqualNode(want)) return;
  attributes(have, want);
  children(have, want);
};
const children = (have, want) => {
  const keyed = new Map();
  for (const child of have.children) if (keyOf(child) !== null) keyed.set(keyOf(child), child);
  let at = have.firstChild;
  for (const next of [...want.childNodes]) {
    const key = keyOf(next);
    let same = key === null ? at : keyed.get(key);
    if (key !== null) keyed.delete(key);
    if (same && (same.nodeType !== next.nodeType || same.nodeName !== next.nodeName || keyOf(same) !== key)) same = null;
    if (!same) {
      have.insertBefore(document.importNode(next, true), at);
      continue;
    }
    if (same === at) at = at.nextSibling;
    else have.insertBefore(same, at);
    update(same, next);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
};
const say = text => { if (status.textContent !== text) status.textContent = text; };
const stop = () => { if (source) source.close(); source = null; };
const start = () => {
  if (source || !wanted || document.hidden) return;
  source = new EventSource(address);
  source.onmessage = event => {
    say("");
    update(main, new DOMParser().parseFromString(JSON.parse(event.data), "text/html").getElementById("main"));
    document.body.dataset.updates = Number(document.body.dataset.updates || 0) + 1;
  };
  source.addEventListener("gone", () => { stop(); wanted = false; show(); say("not kept any more"); });
  source.onerror = () => say(source && source.readyState === EventSource.CLOSED ? "no live updates" : "connecting…");
};
const show = () => { button.setAttribute("aria-pressed", String(wanted)); button.textContent = wanted ? "Live" : "Paused"; };
button.hidden = false;
button.addEventListener("click", () => { wanted = !wanted; show(); say(""); if (wanted) start(); else stop(); });
document.addEventListener("visibilitychange", () => { if (document.hidden) stop(); else start(); });
window.addEventListener("pagehide", stop);
window.addEventListener("pageshow", start);
start();
})();
