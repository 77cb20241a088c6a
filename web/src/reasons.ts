/** Why something ranks where it does: the addends of its score as a stacked bar and in words. */

import { h, s, type Child } from "./dom";
import type { Edge, Reason } from "./api";
import { symbolLink } from "./parts";

export const SOURCES = ["lexical", "dense", "structure", "edge", "name", "path", "file", "prior", "rerank", "penalty"] as const;

export const SAYS: Record<string, string> = {
  lexical: "words of the question in the code", dense: "meaning (vectors)", structure: "what its neighbours say",
  edge: "an edge of the call graph", name: "its name", path: "where its file is", file: "what else is in its file",
  prior: "what kind of thing it is", rerank: "read once more by a reranker", penalty: "taken off",
};

export interface Sum { source: string; value: number }

/** Addends by source in the fixed order, so that the same colour stands at the same place in every bar. */
export function sums(reasons: readonly Reason[]): Sum[] {
  const found = new Map<string, number>();
  for (const reason of reasons) found.set(reason.source, (found.get(reason.source) ?? 0) + reason.value);
  const place = (source: string): number => { const at = (SOURCES as readonly string[]).indexOf(source); return at < 0 ? SOURCES.length : at; };
  return [...found].map(([source, value]) => ({ source, value })).sort((a, b) => place(a.source) - place(b.source));
}

export interface Extent { least: number; most: number }

/** What all bars that stand together have to hold: the greatest sums below and above zero. */
export function extent(all: readonly (readonly Reason[])[]): Extent {
  const made = { least: 0, most: 1e-9 };
  for (const reasons of all) {
    let below = 0, above = 0;
    for (const { value } of sums(reasons)) { if (value < 0) below += value; else above += value; }
    made.least = Math.min(made.least, below);
    made.most = Math.max(made.most, above);
  }
  return made;
}

export function number(value: number): string {
  const size = Math.abs(value);
  return `${value < 0 ? "−" : "+"}${size.toFixed(size >= 0.1 || size === 0 ? 2 : size >= 0.001 ? 4 : 6)}`;
}

export function bar(reasons: readonly Reason[], { least, most }: Extent): SVGSVGElement {
  const parts = sums(reasons);
  const scale = 1000 / (most - least);
  const zero = -least * scale;
  let right = zero, left = zero;
  const told = parts.map(({ source, value }) => `${source} ${number(value)}`).join(", ");
  const drawn = parts.map(({ source, value }) => {
    const width = Math.abs(value) * scale;
    const x = value < 0 ? (left -= width) : right;
    if (value >= 0) right += width;
    return s("rect", { class: `of-${source}${value < 0 ? " below" : ""}`, x, y: value < 0 ? 3 : 0, width: Math.max(width - 2, 0.5), height: value < 0 ? 4 : 10 }, s("title", {}, `${source} ${number(value)}`));
  });
  return s("svg", { class: "bar", viewBox: "0 0 1000 10", preserveAspectRatio: "none", role: "img", "aria-label": told }, drawn,
    least < 0 && s("rect", { class: "zero", x: zero - 1, y: 0, width: 2, height: 10 }));
}

/** The addends, greatest first. */
export function listed(reasons: readonly Reason[], repo: string): HTMLElement {
  const sorted = [...reasons].sort((a, b) => b.value - a.value);
  return h("table", { class: "reasons" },
    h("caption", { class: "unseen" }, "Reasons and what each adds to the score"),
    h("tbody", {}, sorted.map((reason) => h("tr", {},
      h("th", { scope: "row" }, h("span", { class: `swatch of-${reason.source}`, "aria-hidden": "true" }), reason.source),
      h("td", { class: "figure" }, number(reason.value)),
      h("td", {}, reason.detail || SAYS[reason.source] || "", reason.edge && [" ", edgeText(reason.edge, repo)])))));
}

/** The strongest addends on one line. */
export function brief(reasons: readonly Reason[], most = 4): string {
  const strong = sums(reasons).filter(({ value }) => value !== 0).sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const rest = strong.length - most;
  return strong.slice(0, most).map(({ source, value }) => `${source} ${number(value)}`).join(" · ") + (rest > 0 ? ` · ${rest} more` : "");
}

export function legend(all: readonly (readonly Reason[])[]): HTMLElement {
  const there = new Set(all.flatMap((reasons) => reasons.map((reason) => reason.source)));
  return h("ul", { class: "legend", "aria-label": "Colours of the bars" },
    SOURCES.filter((source) => there.has(source)).map((source) => h("li", { title: SAYS[source] }, h("span", { class: `swatch of-${source}`, "aria-hidden": "true" }), source)));
}

export function edgeText(edge: Edge, repo: string): Child {
  return h("span", { class: "edge" }, symbolLink(edge.source, repo), " → ", symbolLink(edge.target, repo),
    ` (${edge.via}, ${edge.evidence}, ${edge.path}:${edge.line})`);
}
