"use strict";

const $ = (id) => document.getElementById(id);
let moves = [];

// element makes an element with a class, a text and children.
function element(tag, className, text, ...children) {
  const e = document.createElement(tag);
  e.className = className;
  e.append(text, ...children);
  return e;
}

// box draws a step of the plan, with what it holds: branches side by side, steps from top to bottom.
function box(step) {
  const held = step.holds || [];
  if (step.role === "branch") return element("div", "branch", "", ...held.map(box));
  const title = element("div", "", "", element("span", "path", step.path), element("span", "kind", `${step.kind} `), element("strong", "", step.name || ""));
  const e = element("div", step.role === "step" ? "box" : "box aside", "", title);
  e.dataset.key = step.name || step.path;
  if (held.length > 0) e.append(element("div", held.every((h) => h.role === "branch") ? "row" : "", "", ...held.map(box)));
  return e;
}

// show draws what there is after the moves.
function show() {
  const view = JSON.parse(asyncsteps.after(JSON.stringify(moves)));
  if (view.error) {
    $("result").textContent = view.error;
    return;
  }
  for (const e of document.querySelectorAll("[data-key]")) {
    e.classList.remove("running", "waiting", "done", "failed");
    const state = view.states[e.dataset.key];
    if (state) e.classList.add(state);
  }
  $("moves").replaceChildren(...(view.moves || []).map((move) => {
    const b = element("button", move.do, (move.do === "step" ? "▶ " : "") + move.says);
    b.addEventListener("click", () => { moves.push(move); show(); });
    return b;
  }));
  $("log").replaceChildren(...(view.log || []).map((line) => element("li", "", `${line.at}  ${line.text}`)));
  $("log").scrollTop = $("log").scrollHeight;
  $("clock").textContent = `(the clock says ${view.at})`;
  $("result").textContent = view.result ? `The run has ended: ${view.result}` : "";
  $("back").disabled = $("again").disabled = moves.length === 0;
  const next = $("moves").querySelector("button") || $("back");
  if (moves.length > 0) next.focus();
}

addEventListener("asyncsteps", () => {
  $("plan").replaceChildren(...JSON.parse(asyncsteps.tree()).holds.map(box));
  $("back").addEventListener("click", () => { moves.pop(); show(); });
  $("again").addEventListener("click", () => { moves = []; show(); });
  show();
});

// The program is stored compressed, so that it is small over the wire from any server.
async function load() {
  const answer = await fetch("play.wasm.gz");
  if (!answer.ok) throw new Error(`play.wasm.gz: ${answer.status}`);
  const program = new Response(answer.body.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } });
  const go = new Go();
  const { instance } = await WebAssembly.instantiateStreaming(program, go.importObject);
  go.run(instance);
}

load().catch((err) => { $("plan").textContent = `It doesn't run here: ${err.message}`; });
