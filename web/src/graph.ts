/** The call graph: around a symbol, between two, what breaks with a change, and the flows from the entry points. */

import { get, type CallPath, type Described, type Edge, type Flow, type Flows, type GraphNode, type Impact, type Neighbourhood, type Sym } from "./api";
import { code } from "./code";
import { counted, fill, h, type Child } from "./dom";
import { picture, type Box } from "./picture";
import { choice, failure, field, nameOf, place, repoParam, repository, shortName, siteList, symbolField, symbolLink, waiting } from "./parts";
import { address, go, here, link, note } from "./route";

const MODES = [["around", "Around a symbol"], ["path", "Path between two"], ["impact", "What breaks"], ["flows", "Flows"]] as const;
const EVIDENCE = [["ambiguous", "every possible call"], ["name", "at least a name"], ["flowed", "at least flowed"], ["scoped", "at least scoped"], ["typed", "at least typed"], ["exact", "only exact"]] as const;
const FLOW_DEPTH = 6, FLOW_MOST = 60, IMPACT_MOST = 150;

export function graph(main: HTMLElement): () => void {
  const asking = here();
  const mode = MODES.some(([one]) => one === asking.get("mode")) ? asking.get("mode")! : "around";
  const repo = repository();
  const picked = asking.get("symbol") ?? "";
  const form = h("div", { class: "row controls" }), above = h("div"), stage = h("div", { class: "stage" });
  const side = h("section", { class: "pane open", "aria-label": "The chosen symbol", "aria-live": "polite" });
  const below = h("div");
  let ended = false;

  fill(main, h("h1", {}, MODES.find(([one]) => one === mode)![1]),
    h("nav", { class: "modes", "aria-label": "Kinds of picture" }, MODES.map(([one, text]) => link(
      address("/graph", { mode: one === "around" ? undefined : one, symbol: one === "flows" ? undefined : picked, repo: repoParam(repo) }), one === mode ? { "aria-current": "page" } : {}, text))),
    form, above, h("div", { class: "split graphs" }, h("div", { class: "list" }, stage, below), side));

  const to = (changes: Record<string, string | string[] | undefined>): void => {
    const now: Record<string, string | string[]> = Object.fromEntries([...new Set(here().keys())].map((key) => [key, key === "expand" ? here().getAll(key) : here().get(key)!]));
    for (const [key, value] of Object.entries(changes)) { if (value === undefined || value === "") delete now[key]; else now[key] = value; }
    go(address("/graph", now));
  };
  const wrong = (key: string) => (error: unknown): void => { if (!ended) { fill(stage); fill(above, failure(error, (name) => to({ [key]: name }))); } };
  const show = (symbol: Sym | string, actions: (found: Described) => Child = () => false): void => { void describe(side, symbol, repo, actions, () => ended); };

  if (mode === "around") around();
  else if (mode === "path") path();
  else if (mode === "impact") impact();
  else flows();
  return () => { ended = true; };

  function around(): void {
    const depth = asking.get("depth") ?? "1", direction = asking.get("direction") ?? "both", evidence = asking.get("min_evidence") ?? "ambiguous";
    const limit = asking.get("limit") ?? "60", expand = asking.getAll("expand"), tests = asking.get("tests") ?? "";
    fill(form, symbolField("Symbol", picked, (name) => to({ symbol: name, expand: undefined, sel: undefined })),
      field("Calls away", choice([...new Set(["1", "2", "3", "4", depth])].map((one) => [one, one] as const), depth, (one) => to({ depth: one === "1" ? undefined : one }))),
      field("Direction", choice([["both", "callers and callees"], ["in", "callers"], ["out", "callees"]], direction, (one) => to({ direction: one === "both" ? undefined : one }))),
      field("Evidence", choice(EVIDENCE, evidence, (one) => to({ min_evidence: one === "ambiguous" ? undefined : one }))),
      field("Tests", choice([["", "with tests"], ["false", "no tests"]], tests, (one) => to({ tests: one }))),
      field("At most", choice([...new Set(["30", "60", "120", "300", limit])].map((one) => [one, `${one} symbols`] as const), limit, (one) => to({ limit: one === "60" ? undefined : one }))));
    if (!picked) { void suggestions(); return; }
    fill(stage, waiting());
    get<Neighbourhood>("graph", { symbol: picked, depth, direction, min_evidence: evidence, limit, tests, expand, repo }).then((found) => {
      if (ended) return;
      const nodes = new Map(found.nodes.map((node) => [node.id, node]));
      const chosen = asking.get("sel") ?? found.symbol.id;
      const act = (id: string) => (): Child => {
        const node = nodes.get(id);
        return [id !== found.symbol.id && [!expand.includes(id) && button(node?.is_folded ? "Unfold the hub" : "Expand", () => to({ expand: [...expand, id], sel: id })),
          expand.includes(id) && button("Fold", () => to({ expand: expand.filter((one) => one !== id), sel: id })),
          link(address("/graph", { mode: "path", symbol: found.symbol.id, to: id, repo: repoParam(repo) }), { class: "button" }, `Path from ${shortName(found.symbol)}`)]];
      };
      const drawn = picture(boxes(found.nodes, found.symbol.id), found.edges, `Calls around ${found.symbol.symbol}`, chosen, (id) => {
        const asked = here();
        asked.set("sel", id);
        note(`/graph?${asked}`);
        show(nodes.get(id) ?? id, act(id));
      });
      fill(above, h("p", { class: "told", role: "status" }, `${counted(found.nodes.length, "symbol")}${found.total > found.nodes.length ? ` of ${found.total}, the nearest` : ""}, ${counted(found.edges.length, "call")}; callers stand left, callees right`,
        found.unresolved_total > 0 && `; ${counted(found.unresolved_total, "call")} in it could not be resolved`));
      fill(stage, drawn.element);
      fill(below, table(found.edges, repo, nodes), found.unresolved.length > 0 && h("details", { class: "block" },
        h("summary", {}, `Calls in ${shortName(found.symbol)} that could not be resolved (${found.unresolved_total})`), siteList(found.unresolved, found.unresolved_total, repo)));
      show(nodes.get(chosen) ?? found.symbol, act(nodes.has(chosen) ? chosen : found.symbol.id));
    }).catch(wrong("symbol"));
  }

  async function suggestions(): Promise<void> {
    try {
      const found = await get<{ hubs: (Sym & { callers: number })[] }>("hubs", { k: 12, tests: false, repo });
      if (!ended) fill(above, h("p", {}, "Name a symbol, or begin with one that much is built on:"), h("ul", { class: "plain columns" }, found.hubs.map((one) => h("li", {}, symbolLink(one, repo), " ", h("span", { class: "quiet" }, counted(one.callers, "caller"))))));
    } catch (error) { wrong("symbol")(error); }
  }

  function path(): void {
    const target = asking.get("to") ?? "";
    fill(form, symbolField("From", picked, (name) => to({ symbol: name })), symbolField("To", target, (name) => to({ to: name })),
      picked && target && button("Turn round", () => to({ symbol: target, to: picked })));
    if (!picked || !target) { fill(above, h("p", { class: "quiet" }, "Name two symbols to see the shortest chain of calls from the first to the second.")); return; }
    fill(stage, waiting());
    get<CallPath>("path", { source: picked, target, k: 50, repo }).then((found) => {
      if (ended) return;
      const verdict = {
        known: `${counted(found.steps.length, "call")}, the shortest chain that is known`, possible: `${counted(found.steps.length, "step")}; possible where an overriding method runs`,
        unknown: `No chain is known. ${counted(found.unresolved_total, "call")} on the way could not be resolved and could go on`,
        none: `There is none: every call in the ${counted(found.searched, "symbol")} it reaches is resolved`,
      }[found.answer];
      fill(above, h("p", { class: "verdict", role: "status" }, symbolLink(found.source, repo), " → ", symbolLink(found.target, repo), ": ", verdict));
      const known = new Map<string, Sym>([[found.source.id, found.source], ...found.steps.map((one) => [one.id, one] as const)]);
      if (found.steps.length) {
        const start = found.steps[0]!.edge.source;
        const chain = [start, ...found.steps.map((one) => one.id)].map((id, layer) => box(known.get(id) ?? bare(id), layer, layer === 0 || layer === found.steps.length ? ["centre"] : ["flow"]));
        fill(stage, picture(unique(chain), found.steps.map((one) => one.edge), `Path from ${found.source.symbol} to ${found.target.symbol}`, start, (id) => show(known.get(id) ?? id)).element);
        fill(below, table(found.steps.map((one) => one.edge), repo, known));
      } else {
        fill(stage);
        fill(below, found.unresolved.length > 0 && siteList(found.unresolved, found.unresolved_total, repo));
      }
      show(found.target);
    }).catch(wrong(picked ? "to" : "symbol"));
  }

  function impact(): void {
    const diff = asking.get("diff") ?? "", evidence = asking.get("min_evidence") ?? "ambiguous";
    const revision = h("input", { type: "text", value: diff, placeholder: "HEAD, main, a commit", spellcheck: "false", autocapitalize: "off",
      onkeydown: (event: KeyboardEvent) => { if (event.key === "Enter") to({ diff: revision.value.trim(), symbol: undefined }); } });
    fill(form, symbolField("Symbol or file that changes", diff ? "" : picked, (name) => to({ symbol: name, diff: undefined })), field("or what differs from", revision),
      button("Show the difference", () => to({ diff: revision.value.trim() || "HEAD", symbol: undefined })),
      field("Evidence", choice(EVIDENCE, evidence, (one) => to({ min_evidence: one === "ambiguous" ? undefined : one }))));
    if (!picked && !diff) { fill(above, h("p", { class: "quiet" }, "Name a symbol, a file or a git revision to see what may break, nearest first, and the tests that reach it.")); return; }
    fill(stage, waiting());
    get<Impact>("impact", { symbol: diff ? undefined : picked, diff, min_evidence: evidence, k: IMPACT_MOST, repo }).then((found) => {
      if (ended) return;
      const all = new Map<string, Box>();
      const known = new Map<string, Sym>();
      for (const one of found.changed) { all.set(one.id, box(one, 0, ["changed"], "changed")); known.set(one.id, one); }
      for (const one of [...found.affected, ...found.tests]) if (!all.has(one.id)) { all.set(one.id, box(one, -one.hop, found.tests.includes(one) ? ["test"] : [], `${one.relation}, ${counted(one.hop, "step")} away`)); known.set(one.id, one); }
      const edges = [...found.affected, ...found.tests].map((one) => one.edge);
      const shown = [...all.values()];
      fill(above, h("p", { class: "verdict", role: "status" }, diff && `Since ${found.revision ?? diff}: `, `${counted(found.changed_total, "changed symbol")}`, (found.deleted_total ?? 0) > 0 && `, ${found.deleted_total} deleted`,
        `; ${counted(found.total, "symbol")} and ${counted(found.tests_total, "test")} may break`, found.unresolved_total > 0 && `; ${counted(found.unresolved_total, "unresolved call")} could be more`,
        found.total > found.affected.length && h("span", { class: "quiet" }, ` (the nearest ${found.affected.length} are drawn)`)));
      if (!shown.length) { fill(stage, h("p", { class: "quiet" }, "Nothing differs.")); return; }
      fill(stage, picture(shown, edges, `What breaks with ${diff ? `the difference from ${diff}` : picked}`, found.changed[0]?.id ?? "", (id) => show(known.get(id) ?? id)).element);
      fill(below, found.tests.length > 0 && h("details", { class: "block", open: true }, h("summary", {}, `Tests that reach it (${found.tests_total})`), h("ol", {}, found.tests.map((one) => h("li", {}, symbolLink(one, repo), " ", h("span", { class: "quiet" }, place(one)))))),
        table(edges, repo, known), found.unresolved.length > 0 && h("details", { class: "block" }, h("summary", {}, `Unresolved calls that could be more (${found.unresolved_total})`), siteList(found.unresolved, found.unresolved_total, repo)));
      if (found.changed[0]) show(found.changed[0]);
    }).catch(wrong("symbol"));
  }

  function flows(): void {
    const tests = asking.get("tests") ?? "false";
    fill(form, field("Flows", choice([["false", "of the code"], ["", "tests too"]], tests === "false" ? "false" : "", (one) => to({ tests: one || "any", symbol: undefined }))));
    fill(stage, waiting());
    get<Flows>("flows", { k: 20, tests: tests === "false" ? false : undefined, repo }).then((found) => {
      if (ended) return;
      if (!found.flows.length) { fill(stage, h("p", { class: "quiet" }, "Nothing here calls anything.")); return; }
      const flow = found.flows.find((one) => one.entry.id === picked) ?? found.flows[0]!;
      fill(above, h("p", { class: "told" }, `${counted(found.total, "entry point")} that nothing calls; the ${found.flows.length} that reach most`),
        h("ol", { class: "flows", "aria-label": "Entry points" }, found.flows.map((one) => h("li", {}, link(address("/graph", { mode: "flows", symbol: one.entry.id, tests: asking.get("tests") ?? undefined, repo: repoParam(repo) }),
          { class: "toggle", "aria-current": one === flow ? "true" : undefined, title: one.entry.symbol }, shortName(one.entry), " ", h("span", { class: "quiet" }, one.reaches))))));
      void one(flow);
    }).catch(wrong("symbol"));
  }

  async function one(flow: Flow): Promise<void> {
    const members = new Set([flow.entry.id, ...flow.members.map((member) => member.id)]);
    try {
      const found = await get<Neighbourhood>("graph", { symbol: flow.entry.id, direction: "out", depth: FLOW_DEPTH, limit: FLOW_MOST, min_evidence: "name", repo });
      if (ended) return;
      const nodes = new Map(found.nodes.map((node) => [node.id, node]));
      const shown = boxes(asItRuns(found.nodes, found.edges), flow.entry.id).map((drawn) => ({ ...drawn, looks: [...drawn.looks, ...(members.has(drawn.id) && !drawn.looks.includes("hub") ? ["flow"] : [])] }));
      fill(stage, h("p", { class: "verdict" }, symbolLink(flow.entry, repo), ` reaches ${counted(flow.reaches, "symbol")}; from left to right as it calls, from top to bottom as the calls stand in the code`,
        found.nodes.length <= flow.reaches && h("span", { class: "quiet" }, ` (the nearest ${found.nodes.length} are drawn)`)),
      picture(shown, found.edges, `Flow from ${flow.entry.symbol}`, flow.entry.id, (id) => show(nodes.get(id) ?? id)).element);
      fill(below, table(found.edges, repo, nodes));
      show(flow.entry);
    } catch (error) { wrong("symbol")(error); }
  }
}

/** Nodes by hop, then by the line at which the nearest caller calls them. */
export function asItRuns(nodes: readonly GraphNode[], edges: readonly Edge[]): GraphNode[] {
  const hop = new Map(nodes.map((node) => [node.id, node.hop]));
  const called = new Map<string, Edge>();
  for (const edge of edges) {
    const from = hop.get(edge.source), to = hop.get(edge.target);
    if (from === undefined || to === undefined || from !== to - 1) continue;
    const now = called.get(edge.target);
    if (!now || edge.line < now.line) called.set(edge.target, edge);
  }
  const made: GraphNode[] = [];
  for (const layer of [...new Set(hop.values())].sort((a, b) => a - b)) {
    const before = new Map(made.map((node, at) => [node.id, at]));
    const key = (node: GraphNode): [number, number] => { const edge = called.get(node.id); return [edge ? before.get(edge.source) ?? 0 : 0, edge?.line ?? 0]; };
    made.push(...nodes.filter((node) => node.hop === layer).sort((a, b) => key(a)[0] - key(b)[0] || key(a)[1] - key(b)[1]));
  }
  return made;
}

function button(text: string, act: () => void): HTMLElement { return h("button", { type: "button", onclick: act }, text); }

function bare(id: string): Sym {
  return { id, symbol: nameOf(id), kind: "function", path: id.slice(0, id.indexOf(":")), start_line: 1, end_line: 1 };
}

function unique(all: readonly Box[]): Box[] { return [...new Map(all.map((one) => [one.id, one])).values()]; }

function box(symbol: Sym, layer: number, looks: string[], told = ""): Box {
  return { id: symbol.id, name: shortName(symbol), under: `${symbol.path}:${symbol.start_line}`, layer, looks, badge: "", open: 0, told: [symbol.kind, told].filter(Boolean).join(", ") };
}

function boxes(nodes: readonly GraphNode[], centre: string): Box[] {
  return nodes.map((node) => ({
    ...box(node, node.hop, [node.id === centre && "centre", node.is_hub && "hub", node.is_test && "test"].filter((one) => one !== false)),
    badge: node.is_folded ? `+${node.callers}` : "", open: node.unresolved,
    told: [node.kind, counted(node.callers, "caller"), counted(node.callees, "callee"), node.unresolved > 0 && counted(node.unresolved, "unresolved call"), node.is_hub && "a hub", node.is_folded && "folded", node.is_test && "a test"].filter(Boolean).join(", "),
  }));
}

/** The same in words: who cannot see the picture reads this. */
function table(edges: readonly Edge[], repo: string, known: ReadonlyMap<string, Sym>): HTMLElement {
  const name = (id: string): string | Sym => known.get(id) ?? id;
  return h("details", { class: "block" }, h("summary", {}, `The calls as a list (${edges.length})`), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Calls" }, h("table", { class: "list" },
    h("thead", {}, h("tr", {}, ["Caller", "calls", "Evidence", "At"].map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, edges.map((edge) => h("tr", {}, h("td", {}, symbolLink(name(edge.source), repo)), h("td", {}, symbolLink(name(edge.target), repo)),
      h("td", {}, `${edge.evidence}, ${edge.via}${edge.candidates > 1 ? `, 1 of ${edge.candidates}` : ""}`), h("td", {}, `${edge.path}:${edge.line}`)))))));
}

async function describe(into: HTMLElement, symbol: Sym | string, repo: string, actions: (found: Described) => Child, ended: () => boolean): Promise<void> {
  const id = typeof symbol === "string" ? symbol : symbol.id;
  into.dataset.id = id;
  into.replaceChildren(waiting());
  try {
    const found = await get<Described>("symbol", { symbol: id, repo });
    if (ended() || into.dataset.id !== id) return;
    const one = found.symbol;
    fill(into, h("header", {}, h("h2", {}, shortName(one))), h("p", { class: "line2" }, one.symbol), h("p", { class: "line2" }, h("span", { class: "kind" }, one.kind), " ", place(one)),
      h("p", {}, `${counted(found.callers_total, "caller")}, ${counted(found.callees_total, "callee")}, ${counted(found.unresolved_total, "unresolved call")}`),
      h("p", { class: "actions" }, link(address("/graph", { symbol: id, repo: repoParam(repo) }), { class: "button" }, "Graph around it"), link(address("/graph", { mode: "impact", symbol: id, repo: repoParam(repo) }), { class: "button" }, "What breaks with it"), actions(found)),
      found.docstring && h("p", { class: "docstring" }, found.docstring.split(/\n\s*\n/)[0]),
      code({ text: found.text, language: found.language, first: one.start_line, label: `Code of ${one.symbol}` }));
  } catch (error) { if (!ended() && into.dataset.id === id) fill(into, failure(error)); }
}
