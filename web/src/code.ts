/** Code with line numbers: at once as plain text, coloured as soon as the grammars are there. */

import { fill, h, type Child } from "./dom";

export interface Shown { text: string; language: string; first: number; marked?: readonly [number, number]; label: string }

/** Results are painted first; then one text is coloured after the other, those that are still shown. */
const waiting: (() => Promise<void>)[] = [];
let working = false;

function later(task: () => Promise<void>): void {
  waiting.push(task);
  if (working) return;
  working = true;
  requestAnimationFrame(() => setTimeout(next, 0));
}

async function next(): Promise<void> {
  const task = waiting.shift();
  if (!task) { working = false; return; }
  await task().catch(() => {}); // it stays in one colour
  setTimeout(next, 0);
}

/** A longer text than this stays in one colour: colouring it would hold up the page. */
const MOST = 300_000;

export function code({ text, language, first, marked, label }: Shown): HTMLElement {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  const place = h("pre", { class: "code", tabindex: 0, role: "region", "aria-label": label });
  const line = (content: Child, number: number): HTMLElement => {
    const hit = marked && number >= marked[0] && number <= marked[1];
    return h("span", { class: hit ? "line hit" : "line" }, h("span", { class: "number", "data-number": number, "aria-hidden": "true" }), h("code", {}, content), "\n");
  };
  fill(place, lines.split("\n").map((one, at) => line(one, first + at)));
  if (lines.length <= MOST) {
    later(async () => {
      const { coloured } = await import("./colours");
      if (place.isConnected) fill(place, coloured(lines, language).map((pieces, at) => line(
        pieces.map(({ text, look }) => (look ? h("span", { class: look }, text) : text)), first + at)));
    });
  }
  return place;
}
