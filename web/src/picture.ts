/** A graph as a picture that is moved, read and walked by mouse, touch and keyboard, and saved as one SVG file. */

import type { Edge } from "./api";
import { h, s, shortened } from "./dom";
import { BOX, layout, type Placed } from "./layout";

export interface Box {
  id: string; name: string; under: string; layer: number;
  /** How it is drawn: `centre`, `hub`, `test`, `changed`, `flow`. */
  looks: string[];
  /** What stands in the corner; empty for nothing. */
  badge: string;
  /** Sites in it that could not be resolved. */
  open: number;
  /** For a screen reader, behind the name. */
  told: string;
}
export interface Drawn { element: HTMLElement; select: (id: string) => void }

const MARGIN = 30;
const SURE = new Set(["exact", "typed", "scoped", "flowed"]);

export function picture(boxes: readonly Box[], edges: readonly Edge[], label: string, chosen: string, choose: (id: string, byPerson: boolean) => void): Drawn {
  const shown = edges.filter((edge) => edge.source !== edge.target);
  const { at, width, height } = layout(boxes, shown);
  const loops = new Set(edges.filter((edge) => edge.source === edge.target).map((edge) => edge.source));
  const stubs = boxes.some((box) => box.open > 0) ? 16 : 0;
  const full = { x: -MARGIN, y: -MARGIN, width: width + 2 * MARGIN + stubs, height: height + 2 * MARGIN };
  const lines = merged(shown).map((edge) => line(edge, at.get(edge.source), at.get(edge.target)));
  const items = new Map(boxes.map((box) => [box.id, item(box, at.get(box.id)!, loops.has(box.id))]));
  const svg = s("svg", { class: "graph", role: "group", "aria-label": label }, arrows(), s("g", { class: "lines" }, lines), s("g", { class: "boxes" }, [...items.values()]));
  const frame = h("div", { class: "frame" }, svg);
  frame.style.setProperty("--needs", `${Math.ceil(full.height * 1.1)}px`);
  const view = look(svg, frame, full, at.get(chosen));

  function select(id: string): void {
    for (const [other, element] of items) {
      element.classList.toggle("chosen", other === id);
      element.setAttribute("tabindex", other === id ? "0" : "-1");
      element.setAttribute("aria-pressed", other === id ? "true" : "false");
    }
    for (const one of lines) if (one) one.classList.toggle("near", one.dataset.source === id || one.dataset.target === id);
  }
  for (const [id, element] of items) {
    element.addEventListener("click", () => { if (!view.dragged()) { select(id); choose(id, true); } });
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); select(id); choose(id, true); return; }
      const to = neighbour(id, event.key, at, shown);
      if (!to) return;
      event.preventDefault();
      items.get(id)!.setAttribute("tabindex", "-1");
      const next = items.get(to)!;
      next.setAttribute("tabindex", "0");
      next.focus({ preventScroll: true });
      view.show(at.get(to)!);
    });
  }
  select(items.has(chosen) ? chosen : boxes[0]?.id ?? "");
  const tools = h("div", { class: "tools", role: "group", "aria-label": "Picture" },
    tool("+", "Larger", () => view.zoom(1 / 1.3)), tool("−", "Smaller", () => view.zoom(1.3)), tool("Fit all", "Fit all", view.fit),
    tool("Save SVG", "Save SVG", () => save(svg, full, label)));
  return { element: h("div", { class: "picture" }, tools, frame, key(boxes, edges)), select };
}

/** A name as it fits: without its class before it loses letters. */
export function fitted(name: string, length: number): string {
  if (name.length <= length) return name;
  const last = name.slice(name.lastIndexOf(".") + 1);
  return last.length < name.length && last.length < length ? `.${last}` : `${last.slice(0, length - 1)}…`;
}

function tool(text: string, label: string, act: () => void): HTMLElement {
  return h("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
}

/** One line for each pair: that of the best evidence. */
function merged(edges: readonly Edge[]): Edge[] {
  const best = new Map<string, Edge>();
  for (const edge of edges) {
    const pair = `${edge.source}\n${edge.target}`, now = best.get(pair);
    if (!now || rank(edge) > rank(now)) best.set(pair, edge);
  }
  return [...best.values()];
}

function rank(edge: Edge): number {
  return ["ambiguous", "name", "flowed", "scoped", "typed", "exact"].indexOf(edge.evidence);
}

export function sure(edge: Edge): boolean { return SURE.has(edge.evidence) && edge.kind !== "overrides"; }

function line(edge: Edge, from: Placed | undefined, to: Placed | undefined): SVGPathElement | null {
  if (!from || !to) return null;
  const x1 = from.x + BOX.width, y1 = from.y + BOX.height / 2, y2 = to.y + BOX.height / 2;
  let d: string;
  if (to.x > from.x) {
    const bend = Math.max(30, Math.min(90, (to.x - x1) / 2));
    d = `M${x1} ${y1}C${x1 + bend} ${y1} ${to.x - bend} ${y2} ${to.x - 1} ${y2}`;
  } else if (to.x === from.x) {
    const out = 24 + Math.min(40, Math.abs(y2 - y1) / 8);
    d = `M${x1} ${y1}C${x1 + out} ${y1} ${x1 + out} ${y2} ${x1 + 1} ${y2}`;
  } else {
    const x2 = to.x + BOX.width / 2, below = Math.max(from.y, to.y) + BOX.height;
    d = `M${from.x + BOX.width / 2} ${from.y + BOX.height}C${from.x + BOX.width / 2} ${below + 40} ${x2} ${below + 40} ${x2} ${to.y + BOX.height + 1}`;
  }
  return s("path", { class: `call ${edge.evidence} ${sure(edge) ? "sure" : "possible"}`, d, "marker-end": "url(#arrow)", "data-source": edge.source, "data-target": edge.target },
    s("title", {}, `${edge.kind === "overrides" ? "may run instead" : edge.via}, ${edge.evidence}, confidence ${edge.confidence.toFixed(2)}, ${edge.path}:${edge.line}`));
}

function item(box: Box, at: Placed, loop: boolean): SVGGElement {
  const name = fitted(box.name, box.badge ? 22 : 27), under = shortened(box.under, box.open > 0 ? 26 : 31);
  const open = box.open > 1 ? `?${box.open}` : box.open ? "?" : "";
  return s("g", { class: `box ${box.looks.join(" ")}`, transform: `translate(${at.x} ${at.y})`, role: "button", tabindex: -1, "aria-pressed": "false", "data-id": box.id },
  s("title", {}, `${box.name}\n${box.under}\n${box.told}`),
  box.open > 0 && [s("path", { class: "stub", d: `M${BOX.width} ${BOX.height - 7}h16` })],
  loop && s("path", { class: "call sure loop", d: `M${BOX.width - 30} 0c-4 -16 26 -16 20 0` }),
  box.looks.includes("hub") && s("rect", { class: "behind", x: 4, y: 4, width: BOX.width, height: BOX.height, rx: 6 }),
  s("rect", { class: "body", width: BOX.width, height: BOX.height, rx: 6 }),
  s("text", { class: "name", x: 10, y: 17 }, name),
  s("text", { class: "under", x: 10, y: 33 }, under),
  open && s("text", { class: "stub-count", x: BOX.width - 8, y: 33 }, open),
  box.badge && s("text", { class: "badge", x: BOX.width - 8, y: 17 }, box.badge));
}

function arrows(): SVGDefsElement {
  return s("defs", {}, s("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" }, s("path", { class: "head", d: "M0 0L8 4L0 8z" })));
}

function key(boxes: readonly Box[], edges: readonly Edge[]): HTMLElement {
  const sample = (looks: string): SVGSVGElement => s("svg", { class: "graph sample", viewBox: "0 0 34 10", "aria-hidden": "true" }, s("path", { class: `call ${looks}`, d: "M1 5h32" }));
  const has = (look: string): boolean => boxes.some((box) => box.looks.includes(look));
  return h("ul", { class: "legend", "aria-label": "What the lines and boxes mean" },
    edges.some(sure) && h("li", {}, sample("sure"), "resolved call"),
    edges.some((edge) => !sure(edge)) && h("li", {}, sample("possible"), "possible call"),
    boxes.some((box) => box.open > 0) && h("li", {}, s("svg", { class: "graph sample", viewBox: "0 0 34 10", "aria-hidden": "true" }, s("path", { class: "stub", d: "M1 5h20" }), s("text", { class: "stub-count", x: 24, y: 9 }, "?")), "calls that could not be resolved"),
    has("hub") && h("li", {}, h("span", { class: "swatch hub", "aria-hidden": "true" }), "hub, not walked through"),
    has("test") && h("li", {}, h("span", { class: "swatch test", "aria-hidden": "true" }), "test"),
    has("changed") && h("li", {}, h("span", { class: "swatch changed", "aria-hidden": "true" }), "changed"));
}

/** The nearest box in an arrow's direction, one that a line leads to before any other. */
function neighbour(id: string, arrow: string, at: ReadonlyMap<string, Placed>, edges: readonly Edge[]): string | null {
  const from = at.get(id)!;
  const linked = new Set(edges.flatMap((edge) => (edge.source === id ? [edge.target] : edge.target === id ? [edge.source] : [])));
  const towards: Record<string, (to: Placed) => number> = {
    ArrowRight: (to) => to.x - from.x, ArrowLeft: (to) => from.x - to.x,
    ArrowDown: (to) => (to.x === from.x ? to.y - from.y : 0), ArrowUp: (to) => (to.x === from.x ? from.y - to.y : 0),
  };
  const along = towards[arrow];
  if (!along) return null;
  let best: string | null = null, least = Infinity;
  for (const [other, to] of at) {
    if (other === id || along(to) <= 0) continue;
    const cost = Math.abs(to.x - from.x) + Math.abs(to.y - from.y) + (linked.has(other) || arrow === "ArrowDown" || arrow === "ArrowUp" ? 0 : 100_000);
    if (cost < least) { least = cost; best = other; }
  }
  return best;
}

interface Area { x: number; y: number; width: number; height: number }

/** Moving and zooming change the view box alone; nothing is drawn anew. */
function look(svg: SVGSVGElement, frame: HTMLElement, full: Area, start: Placed | undefined) {
  const pixels = (): { w: number; h: number } => ({ w: frame.clientWidth || 800, h: frame.clientHeight || 500 });
  let scale = 1, x = full.x, y = full.y, drag: { x: number; y: number; moved: boolean } | null = null, wasDrag = false, touched = false;
  const set = (): void => {
    const { w, h } = pixels();
    svg.setAttribute("viewBox", `${x} ${y} ${w * scale} ${h * scale}`);
  };
  const centre = (to: Placed): void => {
    const { w, h } = pixels();
    x = full.width <= w * scale ? full.x - (w * scale - full.width) / 2 : to.x + BOX.width / 2 - (w * scale) / 2;
    y = full.height <= h * scale ? full.y - (h * scale - full.height) / 2 : to.y + BOX.height / 2 - (h * scale) / 2;
    set();
  };
  const fit = (): void => {
    const { w, h } = pixels();
    scale = Math.max(full.width / w, full.height / h, 0.6);
    x = full.x - (w * scale - full.width) / 2;
    y = full.y - (h * scale - full.height) / 2;
    set();
  };
  const begin = (): void => {
    const { w, h } = pixels();
    const whole = Math.max(full.width / w, full.height / h, 0.9);
    scale = whole <= 1.35 ? whole : 1.1; // small text is worse than a part of the picture
    centre(start ?? { x: full.x + full.width / 2, y: full.y + full.height / 2 });
  };
  const zoom = (by: number, atX?: number, atY?: number): void => {
    touched = true;
    const { w, h } = pixels();
    const fx = atX ?? w / 2, fy = atY ?? h / 2, next = Math.min(6, Math.max(0.25, scale * by));
    x += fx * (scale - next);
    y += fy * (scale - next);
    scale = next;
    set();
  };
  const watch = new ResizeObserver(() => { if (touched) set(); else begin(); });
  watch.observe(frame);
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = frame.getBoundingClientRect();
    zoom(Math.exp(event.deltaY * 0.004), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  frame.addEventListener("pointerdown", (event) => { if (event.button === 0) { drag = { x: event.clientX, y: event.clientY, moved: false }; wasDrag = false; } });
  frame.addEventListener("pointermove", (event) => {
    if (!drag || !(event.buttons & 1)) { drag = null; return; }
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    if (!drag.moved) frame.setPointerCapture(event.pointerId);
    touched = true;
    x -= dx * scale;
    y -= dy * scale;
    drag = { x: event.clientX, y: event.clientY, moved: true };
    wasDrag = true;
    set();
  });
  frame.addEventListener("pointerup", () => { drag = null; });
  return {
    zoom, fit: () => { touched = true; fit(); }, dragged: () => wasDrag,
    show: (to: Placed) => {
      const { w, h } = pixels();
      const inside = to.x >= x && to.y >= y && to.x + BOX.width <= x + w * scale && to.y + BOX.height <= y + h * scale;
      if (!inside) { touched = true; centre(to); }
    },
  };
}

const COPIED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];

/** The picture with its colours in it, so that it looks the same anywhere. */
export function standalone(svg: SVGSVGElement, full: Area): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const own = [svg, ...svg.querySelectorAll("*")], made = [copy, ...copy.querySelectorAll("*")];
  own.forEach((element, n) => {
    const computed = getComputedStyle(element), target = made[n]!;
    if (element.tagName !== "title" && element.tagName !== "defs") for (const name of COPIED) {
      const value = computed.getPropertyValue(name);
      if (value && value !== "none" || name === "fill" || name === "stroke") target.setAttribute(name, value);
    }
    for (const gone of ["class", "tabindex", "role", "aria-pressed", "aria-label", "data-id", "data-source", "data-target"]) target.removeAttribute(gone);
  });
  copy.setAttribute("viewBox", `${full.x} ${full.y} ${full.width} ${full.height}`);
  copy.setAttribute("width", String(full.width));
  copy.setAttribute("height", String(full.height));
  copy.prepend(s("rect", { x: full.x, y: full.y, width: full.width, height: full.height, fill: getComputedStyle(document.body).backgroundColor }));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

function save(svg: SVGSVGElement, full: Area, label: string): void {
  const url = URL.createObjectURL(new Blob([standalone(svg, full)], { type: "image/svg+xml" }));
  h("a", { href: url, download: `${label.replace(/[^\w.-]+/g, "-").slice(0, 80) || "graph"}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
