/** One question under two strategies, side by side, with what moved each symbol; and why a symbol is not there. */

import { get, type Comparison, type Hit, type Movement, type Side, type WhyNot } from "./api";
import { counted, fill, h, s } from "./dom";
import { choice, failure, field, place, repoParam, repository, service, shortName, strategyName, symbolField, symbolLink, waiting } from "./parts";
import { bar, brief, extent, listed, type Extent } from "./reasons";
import { address, here, note } from "./route";

export function compare(main: HTMLElement): () => void {
  const asking = here();
  const names = service().strategies;
  const pick = (wanted: string | null, otherwise: string): string => wanted ?? (names.includes(otherwise) ? otherwise : names[0] ?? "");
  let a = pick(asking.get("a"), "vector"), b = pick(asking.get("b"), service().strategy.split("(")[0] || "hybrid");
  let why = asking.get("why") ?? "";
  let turn = 0, timer = 0;
  const input = h("input", { type: "search", id: "question", value: asking.get("q") ?? "", autocomplete: "off", spellcheck: "false", maxlength: 2000,
    placeholder: "One question, two rankings", oninput: () => { clearTimeout(timer); timer = window.setTimeout(ask, 120); } });
  const body = h("div", { class: "comparison" });
  const reply = h("div", { class: "whynot", role: "status" });
  const options = names.map((one) => [one, one] as const);
  const k = choice([["5", "first 5"], ["10", "first 10"], ["20", "first 20"]], asking.get("k") ?? "10", () => ask());
  let ended = (): void => {};

  fill(main, h("h1", {}, "Two rankings of one question"),
    h("form", { class: "ask", role: "search", onsubmit: (event: Event) => { event.preventDefault(); ask(); } },
      h("label", { class: "unseen", for: "question" }, "Question"), input,
      h("div", { class: "row" }, field("Left", choice(options, a, (one) => { a = one; ask(); })), field("Right", choice(options, b, (one) => { b = one; ask(); })), field("Shown", k))),
    body,
    h("section", { class: "block" }, h("h2", {}, "Why is it not here?"),
      h("p", { class: "quiet" }, "Name a symbol that the right ranking should show: it was never a candidate, or others stand above it, or it was cut."),
      h("div", { class: "row" }, symbolField("Symbol", why, (name) => { why = name; void ask_why(); })), reply));

  function remember(): void { note(address("/compare", { q: input.value.trim(), a, b, k: k.value === "10" ? undefined : k.value, why, repo: repoParam() })); }

  async function ask(): Promise<void> {
    const mine = ++turn;
    remember();
    const q = input.value.trim();
    ended();
    if (!q) { fill(body, h("p", { class: "quiet" }, "Type a question to see how two ways of ranking answer it.")); return; }
    try {
      const found = await get<Comparison>("explain", { q, a, b, k: k.value, repo: repository() });
      if (mine !== turn) return;
      ended = sides(body, found, repository());
    } catch (error) { if (mine === turn) fill(body, failure(error)); }
    if (why && mine === turn) void ask_why();
  }

  async function ask_why(): Promise<void> {
    remember();
    const q = input.value.trim();
    if (!q || !why) return;
    fill(reply, waiting("Looking …"));
    try {
      const found = await get<WhyNot>("why-not", { q, symbol: why, strategy: b, k: k.value, repo: repository() });
      fill(reply, answer(found, repository()));
    } catch (error) { fill(reply, failure(error, (name) => { why = name; void ask_why(); })); }
  }

  void ask();
  if (!input.value) input.focus();
  return () => { turn = -1; ended(); clearTimeout(timer); };
}

const SAYS: Record<string, string> = {
  shown: "It is here", outranked: "Outranked", cut: "Cut", "never a candidate": "Never a candidate", filtered: "Left out by the filters",
};

function answer(found: WhyNot, repo: string): HTMLElement {
  const bars = extent([found.reasons, ...found.above.map((one) => one.reasons)]);
  return h("div", { class: "card" },
    h("p", { class: "verdict" }, h("strong", {}, SAYS[found.answer] ?? found.answer), found.rank ? `: rank ${found.rank} of ${counted(found.scored, "candidate")} under ${strategyName(found.strategy)}` : ""),
    h("p", {}, found.text),
    found.seeds.length > 0 && found.answer === "never a candidate" && h("p", {}, "The search went out from ", found.seeds.map((seed, n) => [n > 0 && ", ", symbolLink(seed, repo)])),
    found.reasons.length > 0 && [h("h3", {}, `What speaks for ${shortName(found.symbol)}`), bar(found.reasons, bars), listed(found.reasons, repo)],
    found.above.length > 0 && [h("h3", {}, "What stands above it, and why"), h("ol", { class: "above" }, found.above.map((one) => h("li", { value: one.rank },
      symbolLink(one.symbol, repo), " ", h("span", { class: "score" }, one.score.toFixed(3)), bar(one.reasons, bars), h("div", { class: "brief" }, brief(one.reasons)))))]);
}

/** Draw both columns with the lines between them, and the movements in words. Returns what ends the watching of sizes. */
export function sides(into: HTMLElement, found: Comparison, repo: string): () => void {
  const bars = [extent(found.a.hits.map((hit) => hit.reasons)), extent(found.b.hits.map((hit) => hit.reasons))] as const;
  const moved = new Map(found.movements.map((one) => [one.id, one]));
  const left = column(found.a, "a", moved, bars[0], repo), right = column(found.b, "b", moved, bars[1], repo);
  const lines = s("svg", { class: "moves", "aria-hidden": "true" });
  const stage = h("div", { class: "sides" }, left, lines, right);
  const same = found.movements.filter((one) => one.a === one.b).length;
  fill(into, found.topic && h("p", {}, found.relevant?.length ? ["Relevant: ", found.relevant.map((one, n) => [n > 0 && ", ", symbolLink(one, repo)])] : "Nothing is judged relevant."),
    stage,
    missing(found, repo),
    h("details", { class: "block", open: true }, h("summary", {}, `What moved (${counted(found.movements.length - same, "symbol")}; ${same} stand where they stood)`), movements(found, repo)));
  const draw = (): void => join(stage, lines, found);
  const watch = new ResizeObserver(draw);
  watch.observe(stage);
  return () => watch.disconnect();
}

function column(side: Side, which: "a" | "b", moved: Map<string, Movement>, bars: Extent, repo: string): HTMLElement {
  return h("section", { class: "side", "aria-label": side.strategy },
    h("h2", { title: side.strategy }, strategyName(side.strategy)),
    h("p", { class: "quiet" }, `${counted(side.scored, "candidate")}${side.seeds.length ? `, from ${counted(side.seeds.length, "seed")}` : ""}${side.steps.length ? `, ${counted(side.steps.length, "edge")} walked` : ""}`),
    h("ol", { class: "column" }, side.hits.map((hit) => row(hit, which, moved.get(hit.id), bars, repo))));
}

function row(hit: Hit, which: "a" | "b", move: Movement | undefined, bars: Extent, repo: string): HTMLElement {
  const other = which === "a" ? move?.b : move?.a;
  const classes = ["one", move?.relevant && "relevant", other === null && "alone"].filter(Boolean).join(" ");
  const light = (on: boolean) => (event: Event): void => {
    const stage = (event.currentTarget as Element).closest(".sides")!;
    for (const one of stage.querySelectorAll("[data-id]")) one.classList.toggle("lit", on && (one as HTMLElement).dataset.id === hit.id);
    stage.classList.toggle("lighting", on);
  };
  return h("li", { class: classes, "data-id": hit.id, onmouseenter: light(true), onmouseleave: light(false), onfocusin: light(true), onfocusout: light(false) },
    h("div", { class: "line1" }, h("span", { class: "rank" }, hit.rank), " ", symbolLink({ ...hit, symbol: shortName(hit) }, repo),
      move?.relevant && h("span", { class: "kind good" }, "relevant"), h("span", { class: "was" }, change(which, hit.rank, other))),
    h("div", { class: "line2" }, place(hit)), bar(hit.reasons, bars), h("div", { class: "brief" }, brief(hit.reasons, 3)));
}

function change(which: "a" | "b", rank: number, other: number | null | undefined): string {
  if (other === undefined) return "";
  if (other === null) return which === "a" ? "→ not a candidate" : "new here";
  if (which === "a") return `→ ${other}`;
  return other === rank ? "=" : other > rank ? `▲ ${other - rank}` : `▼ ${rank - other}`;
}

function join(stage: HTMLElement, lines: SVGSVGElement, found: Comparison): void {
  const box = lines.getBoundingClientRect();
  if (box.width < 10) { lines.replaceChildren(); return; }
  lines.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
  const middle = (which: string, id: string): number | null => {
    const item = [...stage.querySelectorAll<HTMLElement>(`.side:${which} li`)].find((one) => one.dataset.id === id);
    if (!item) return null;
    const at = item.getBoundingClientRect();
    return at.top + Math.min(at.height / 2, 22) - box.top;
  };
  const made: SVGElement[] = [];
  for (const move of found.movements) {
    const from = middle("first-child", move.id), to = middle("last-child", move.id);
    const w = box.width;
    const kind = from === null ? "came" : to === null ? "went" : move.a === move.b ? "same" : (move.b ?? 0) < (move.a ?? 0) ? "up" : "down";
    const edge = move.step || move.gained.some((one) => one.edge) ? " by-edge" : "";
    const why = move.text;
    if (from !== null && to !== null) made.push(s("path", { class: `move ${kind}${edge}`, "data-id": move.id, d: `M0 ${from}C${w / 2} ${from} ${w / 2} ${to} ${w} ${to}` }, s("title", {}, why)));
    else if (from !== null) made.push(s("path", { class: `move ${kind}`, "data-id": move.id, d: `M0 ${from}h${w * 0.3}` }, s("title", {}, why)), s("circle", { class: `move ${kind}`, "data-id": move.id, cx: w * 0.3, cy: from, r: 3 }));
    else if (to !== null) made.push(s("path", { class: `move ${kind}${edge}`, "data-id": move.id, d: `M${w * 0.7} ${to}h${w * 0.3}` }, s("title", {}, why)), s("circle", { class: `move ${kind}`, "data-id": move.id, cx: w * 0.7, cy: to, r: 3 }));
  }
  lines.replaceChildren(...made);
}

function movements(found: Comparison, repo: string): HTMLElement {
  const rank = (one: number | null): string => (one === null ? "–" : String(one));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Movements" }, h("table", { class: "list" },
    h("thead", {}, h("tr", {}, ["Symbol", "Left", "Right", "Why"].map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, found.movements.map((move) => h("tr", {},
      h("th", { scope: "row" }, symbolLink(move.symbol, repo), move.relevant && h("span", { class: "kind good" }, "relevant")),
      h("td", { class: "figure" }, rank(move.a)), h("td", { class: "figure" }, rank(move.b)), h("td", {}, move.text.split("; ").slice(1).join("; ") || "–"))))));
}

function missing(found: Comparison, repo: string): HTMLElement | false {
  const all = ([["left", found.missing_a], ["right", found.missing_b]] as const).flatMap(([side, gone]) => (gone ?? []).map((one) => ({ side, one })));
  return all.length > 0 && h("section", { class: "block" }, h("h2", {}, "Relevant and missing"),
    h("ul", {}, all.map(({ side, one }) => h("li", {}, `${side}: `, symbolLink(typeof one.symbol === "string" ? one.id : one.symbol, repo), ` ${one.text}`))));
}
