/** Reports browsable: from the means to the question, to the trace, to the code. */

import { get, type Collection, type Comparison, type Evaluation } from "./api";
import { sides } from "./compare";
import { counted, fill, h } from "./dom";
import { choice, failure, field, service, waiting } from "./parts";
import { address, go, here, link } from "./route";

export function judge(main: HTMLElement): () => void {
  const asking = here();
  const name = asking.get("collection") ?? "", topic = asking.get("topic") ?? "";
  let ended = false, end = (): void => {};
  const body = h("div");
  fill(main, h("h1", {}, "Judging"), body);
  fill(body, waiting());
  const wrong = (error: unknown): void => { if (!ended) fill(body, failure(error)); };
  if (!name) void collections().catch(wrong);
  else if (!topic) void evaluation().catch(wrong);
  else void trace().catch(wrong);
  return () => { ended = true; end(); };

  function strategies(): string[] {
    const chosen = asking.getAll("strategy");
    return chosen.length ? chosen : ["vector", "naive", service().strategy.split("(")[0] || "additive"].filter((one) => !service().strategies.length || service().strategies.includes(one));
  }
  function way(last: string): HTMLElement {
    return h("nav", { class: "way", "aria-label": "Where you are" }, h("ol", {}, h("li", {}, link("/judge", {}, "Collections")),
      topic && h("li", {}, link(address("/judge", { collection: name, strategy: asking.getAll("strategy") }), {}, name)), h("li", { "aria-current": "page" }, last)));
  }

  async function collections(): Promise<void> {
    const found = await get<{ collections: Collection[] }>("collections");
    if (ended) return;
    fill(body, h("p", {}, "A collection is questions with what is relevant to each. A total score hides who won and who lost: look at the questions."),
      found.collections.length === 0 && h("p", { class: "quiet" }, "No collection is there."),
      h("ul", { class: "cards" }, found.collections.map((one) => h("li", { class: "card" }, h("h2", {}, link(address("/judge", { collection: one.name }), {}, one.name)),
        h("p", {}, one.description), h("p", { class: "quiet" }, `${counted(one.topics, "question")} on ${one.repository}${one.writable ? ", yours to write" : ""}`)))),
      h("p", { class: "quiet" }, service().writable ? "Marks that you set beside a search result are kept in a collection of yours and listed here."
        : "To mark results as relevant yourself, start the server with a folder for it: plait serve --write FOLDER."));
  }

  async function evaluation(): Promise<void> {
    const chosen = strategies();
    const toggles = service().strategies.map((one) => h("button", { type: "button", class: "toggle", "aria-pressed": chosen.includes(one) ? "true" : "false", onclick: () => {
      const next = chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one];
      if (next.length) go(address("/judge", { collection: name, strategy: next }));
    } }, one));
    const result = h("div", {}, waiting("Asking every question under every strategy …"));
    fill(body, way(name), h("div", { class: "row" }, h("div", { class: "toggles", role: "group", "aria-label": "Strategies; the first is what the others are compared with" }, toggles)), result);
    const found = await get<Evaluation>(`evaluations/${encodeURIComponent(name)}`, { strategy: chosen, at: "3,5" });
    if (ended) return;
    const measures = Object.keys(found.measures);
    const measure = asking.get("measure") && measures.includes(asking.get("measure")!) ? asking.get("measure")! : measures.find((one) => one.startsWith("Recall")) ?? measures[0]!;
    const short = (strategy: string): string => found.short[strategy] ?? strategy;
    const score = (strategy: string, id: string): number => found.measures[measure]![strategy]!.topics[id] ?? 0;
    const base = found.strategies[0]!;
    const spread = (id: string): number => Math.max(...found.strategies.map((one) => Math.abs(score(one, id) - score(base, id))));
    const topics = Object.keys(found.topic_texts).filter((id) => id in found.measures[measure]![base]!.topics);
    const sorted = [...topics].sort((a, b) => spread(b) - spread(a) || topics.indexOf(a) - topics.indexOf(b));
    const rival = (id: string): string => found.strategies.reduce((a, b) => (Math.abs(score(b, id) - score(base, id)) > Math.abs(score(a, id) - score(base, id)) ? b : a), found.strategies[1] ?? base);
    fill(result,
      h("div", { class: "tables" }, h("div", {}, h("h2", {}, "Means"), scrolled("Means", h("table", { class: "list figures" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Strategy"), measures.map((one) => h("th", { scope: "col", class: "figure" }, one)))),
        h("tbody", {}, found.strategies.map((one) => h("tr", {}, h("th", { scope: "row", title: one }, short(one)), measures.map((m) => h("td", { class: "figure" }, found.measures[m]![one]!.mean.toFixed(3))))))))),
        found.strategies.length > 1 && h("div", {}, h("h2", {}, "Won and lost"), scrolled("Won and lost", won(found)))),
      h("h2", {}, "Question by question"),
      h("div", { class: "row" }, field("Measure", choice(measures.map((one) => [one, one] as const), measure, (one) => go(address("/judge", { collection: name, strategy: asking.getAll("strategy"), measure: one }))))),
      h("p", { class: "quiet" }, `Those that the strategies answer most differently stand first; ▲ better and ▼ worse than ${short(base)}.`),
      scrolled("Question by question", h("table", { class: "list" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Question"), found.strategies.map((one) => h("th", { scope: "col", class: "figure", title: one }, short(one))))),
        h("tbody", {}, sorted.map((id) => h("tr", {}, h("th", { scope: "row" }, link(address("/judge", { collection: name, topic: id, a: short(base), b: short(rival(id)), strategy: asking.getAll("strategy") }), {}, `${id} ${found.topic_texts[id]}`)),
          found.strategies.map((one) => { const d = score(one, id) - score(base, id); return h("td", { class: `figure ${d > 0 ? "good" : d < 0 ? "bad" : ""}` }, score(one, id).toFixed(2), d > 0 ? " ▲" : d < 0 ? " ▼" : ""); })))))),
      h("p", { class: "quiet" }, `On ${found.repository}; graph ${found.graph}, embedder ${found.embedder}. What nobody judged counts as not relevant.`));
  }

  async function trace(): Promise<void> {
    const all = service().strategies;
    const a = asking.get("a") ?? all[0] ?? "vector", b = asking.get("b") ?? all[1] ?? "hybrid", k = asking.get("k") ?? "5";
    const options = (chosen: string): [string, string][] => [...new Set([...all, chosen])].map((one) => [one, one]);
    const to = (changes: Record<string, string>): void => go(address("/judge", { collection: name, topic, a, b, k, strategy: asking.getAll("strategy"), ...changes }));
    const found = await get<Comparison>(`evaluations/${encodeURIComponent(name)}/topics/${encodeURIComponent(topic)}`, { a, b, k });
    if (ended) return;
    const stage = h("div", { class: "comparison" });
    fill(body, way(topic), h("h2", { class: "question" }, found.topic?.text ?? found.query),
      h("div", { class: "row" }, field("Left", choice(options(a), a, (one) => to({ a: one }))), field("Right", choice(options(b), b, (one) => to({ b: one }))), field("Shown", choice(["3", "5", "10"].map((one) => [one, `first ${one}`] as const), k, (one) => to({ k: one })))), stage);
    end = sides(stage, found, found.repository);
  }

  function won(found: Evaluation): HTMLElement {
    const short = (strategy: string): string => found.short[strategy] ?? strategy;
    const signed = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;
    const head = [`Against ${short(found.strategies[0]!)}`, "Measure", "Won", "Lost", "Tied", "Mean difference", "95 % interval", "p"];
    return h("table", { class: "list figures" }, h("thead", {}, h("tr", {}, head.map((one, n) => h("th", { scope: "col", class: n > 1 ? "figure" : "" }, one)))),
      h("tbody", {}, found.comparisons.map((one) => h("tr", {}, h("th", { scope: "row", title: one.b }, short(one.b)), h("td", {}, one.measure),
        [one.win, one.loss, one.tie].map((count) => h("td", { class: "figure" }, count)), h("td", { class: "figure" }, signed(one.mean_difference)),
        h("td", { class: "figure" }, one.interval ? `${signed(one.interval[0])} to ${signed(one.interval[1])}` : "none for one question"), h("td", { class: "figure" }, one.p.toFixed(3))))));
  }
}

function scrolled(label: string, table: HTMLElement): HTMLElement {
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, table);
}
