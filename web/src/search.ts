/** Search as you type. The list is walked with the arrows, the file around a hit stands beside it. */

import { get, post, type FileText, type Hit, type Judgements, type Search } from "./api";
import { code } from "./code";
import { counted, fill, h } from "./dom";
import { choice, failure, field, notices, place, repoParam, repository, service, shortName, waiting } from "./parts";
import { bar, brief, extent, legend, listed } from "./reasons";
import { address, here, link, note } from "./route";

const KINDS = ["function", "method", "class", "module"];
const AROUND = 40;
/** Lines of a hit in the list. */
const EXCERPT = 7;

export function search(main: HTMLElement): () => void {
  const asking = here();
  let k = Number(asking.get("k")) || 10;
  let latest = 0, done = 0, selected = asking.get("sel") ?? "";
  let found: Search | null = null;
  let again = 0;

  const input = h("input", {
    type: "search", id: "question", value: asking.get("q") ?? "", placeholder: "What are you looking for? In words, or by name",
    autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 2000, autofocus: true,
    "aria-describedby": "keys", oninput: () => { k = 10; selected = ""; ask(); },
  });
  const told = h("p", { class: "told", role: "status", "aria-live": "polite" });
  const results = h("ol", { class: "hits", "aria-label": "Results" });
  const below = h("div", { class: "below" });
  const above = h("div");
  const pane = h("section", { class: "pane", "aria-label": "The file around the hit", hidden: true });
  const layout = h("div", { class: "split" }, h("div", { class: "list" }, above, results, below), pane);

  const languages = [...new Set(service().repositories.flatMap((one) => one.languages))].sort();
  const strategy = choice([["", "default ranking"], ...service().strategies.map((one) => [one, one] as const)], asking.get("strategy") ?? "", () => ask());
  const language = choice([["", "any language"], ...languages.map((one) => [one, one] as const)], asking.get("language") ?? "", () => ask());
  const tests = choice([["", "code and tests"], ["false", "no tests"], ["true", "only tests"]], asking.get("tests") ?? "", () => ask());
  const path = h("input", { type: "text", value: asking.get("path") ?? "", placeholder: "src/*", spellcheck: "false", autocapitalize: "off", oninput: () => ask() });
  const kinds = new Set(asking.getAll("kind"));
  const toggles = KINDS.filter((kind) => !service().kinds.length || service().kinds.includes(kind)).map((kind) => {
    const button = h("button", { type: "button", class: "toggle", "aria-pressed": kinds.has(kind) ? "true" : "false", onclick: () => {
      if (!kinds.delete(kind)) kinds.add(kind);
      button.setAttribute("aria-pressed", kinds.has(kind) ? "true" : "false");
      ask();
    } }, kind);
    return button;
  });

  fill(main, h("h1", { class: "unseen" }, "Search"),
    h("form", { class: "ask", role: "search", onsubmit: (event: Event) => { event.preventDefault(); first()?.focus(); } },
      h("label", { class: "unseen", for: "question" }, "Question"), input,
      h("details", { class: "filters", open: matchMedia("(min-width: 50rem)").matches || kinds.size > 0 || path.value !== "" },
        h("summary", {}, "Filters"),
        h("div", { class: "row" },
          h("div", { class: "toggles", role: "group", "aria-label": "Kinds" }, toggles),
          field("Language", language), field("Path", path), field("Tests", tests), field("Ranking", strategy))),
      h("p", { id: "keys", class: "keys" }, h("kbd", {}, "/"), " question ", h("kbd", {}, "↑"), h("kbd", {}, "↓"), " results ", h("kbd", {}, "Enter"), " code ", h("kbd", {}, "Esc"), " back")),
    told, layout);

  function params(): Record<string, string | number | string[] | undefined> {
    return {
      q: input.value.trim(), repo: here().get("repo") ?? undefined, strategy: strategy.value, language: language.value,
      path: path.value.trim(), tests: tests.value, kind: [...kinds].sort(), k: k === 10 ? undefined : k,
    };
  }

  // One request at a time: what is typed meanwhile is asked as one, with its last letter.
  let busy = false;
  function ask(): void {
    latest += 1;
    clearTimeout(again);
    note(address("/", { ...params(), sel: selected }));
    if (!busy) void next();
  }

  async function next(): Promise<void> {
    busy = true;
    while (done !== latest) {
      done = latest;
      const wanted = params();
      if (!wanted.q) { found = null; welcome(); continue; }
      try {
        const reply = await get<Search>("search", { ...wanted, k });
        if (done === latest) { found = reply; draw(); }
      } catch (error) {
        if (done !== latest) continue;
        found = null;
        fill(told);
        fill(results);
        fill(below);
        fill(above, failure(error));
        const wait = (error as { retry?: number; code?: string });
        if (wait.code === "not_ready" || wait.code === "too_many_requests") again = window.setTimeout(ask, 1000 * Math.max(1, wait.retry ?? 1));
      }
    }
    busy = false;
  }

  function welcome(): void {
    fill(told);
    fill(results);
    fill(below);
    close();
    const repos = service().repositories.filter((one) => one.role !== "corpus");
    fill(above, h("div", { class: "welcome" },
      h("p", {}, "Ask in words (", h("em", {}, "where is the retry delay computed"), "), or by a name. A question can narrow itself down: ",
        h("code", {}, "path:src/net"), " ", h("code", {}, "lang:go"), " ", h("code", {}, "kind:class"), ", and ", h("code", {}, '"quoted"'), " text that every result contains."),
      h("ul", { class: "plain" }, repos.map((one) => h("li", {}, h("strong", {}, one.name), one.ready
        ? `: ${counted(one.symbols, "symbol")} in ${counted(one.files, "file")}` : one.problem ? `: ${one.problem}` : ": being indexed", " ",
        link(address("/status", { repo: repoParam(one.name) }), {}, "what is indexed"))))));
  }

  function draw(): void {
    if (!found) return;
    const { hits, total } = found;
    fill(above, notices(found.notices), hits.length > 0 && legend(hits.map((hit) => hit.reasons)));
    fill(told, hits.length ? `${counted(hits.length, "result")} of ${counted(total, "candidate")}, ${found.milliseconds.toFixed(found.milliseconds < 10 ? 1 : 0)} ms` : "No result");
    const bars = extent(hits.map((hit) => hit.reasons));
    fill(results, hits.map((hit) => item(hit, bars)));
    fill(below, hits.length === 0
      ? h("p", { class: "quiet" }, "Nothing in the index shares a word or a meaning with the question within these filters. ", link(address("/compare", { q: input.value, repo: repoParam() }), {}, "Ask why something is missing"))
      : [hits.length < total && hits.length < 200 && h("button", { type: "button", onclick: () => { k = Math.min(k + 20, 200); ask(); } }, "Show more"), " ",
        link(address("/compare", { q: input.value, repo: repoParam(here().get("repo") ?? undefined) }), {}, "Compare two rankings, or ask why something is missing")]);
    const chosen = hits.find((hit) => key(hit) === selected || hit.id === selected);
    if (chosen) open(chosen, false);
    else close();
  }

  const key = (hit: Hit): string => (service().repositories.length > 1 ? `${hit.repository}/${hit.id}` : hit.id);

  function item(hit: Hit, bars: { least: number; most: number }): HTMLElement {
    const text = hit.text.split("\n").slice(0, EXCERPT).join("\n");
    const title = h("a", { class: "title", href: address("/", { ...params(), sel: key(hit) }), onclick: (event: MouseEvent) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      open(hit, true);
    } }, h("span", { class: "rank" }, hit.rank), " ", h("span", { class: "name" }, hit.symbol));
    return h("li", { class: "hit", "data-id": hit.id },
      h("div", { class: "line1" }, title, h("span", { class: "kind" }, hit.kind), hit.is_test && h("span", { class: "kind" }, "test"),
        h("span", { class: "score", title: "score: the sum of the reasons" }, hit.score.toFixed(3))),
      h("div", { class: "line2" }, service().repositories.length > 1 && h("strong", {}, hit.repository, " "), place(hit)),
      bar(hit.reasons, bars), h("div", { class: "brief" }, brief(hit.reasons)),
      code({ text, language: hit.language, first: hit.start_line, label: `Beginning of ${hit.symbol}` }));
  }

  function titles(): HTMLElement[] { return [...results.querySelectorAll<HTMLElement>("a.title")]; }
  function first(): HTMLElement | undefined { return titles()[0]; }

  function close(): void {
    pane.hidden = true;
    layout.classList.remove("open");
    for (const one of results.children) one.classList.remove("chosen");
  }

  function open(hit: Hit, byPerson: boolean): void {
    selected = key(hit);
    if (byPerson) history.pushState(null, "", address("/", { ...params(), sel: selected }));
    for (const one of results.children) one.classList.toggle("chosen", (one as HTMLElement).dataset.id === hit.id);
    pane.hidden = false;
    layout.classList.add("open");
    const file = h("div", {}, waiting());
    const repo = hit.repository;
    fill(pane, h("header", {}, h("h2", { tabindex: -1 }, shortName(hit)), h("button", { type: "button", class: "close", "aria-label": "Close the code", onclick: shut }, "×")),
      h("p", { class: "line2" }, place(hit)),
      h("p", { class: "actions" }, link(address("/graph", { symbol: hit.id, repo: repoParam(repo) }), { class: "button" }, "Graph around it"),
        link(address("/graph", { mode: "impact", symbol: hit.id, repo: repoParam(repo) }), { class: "button" }, "What breaks with it"),
        link(address("/compare", { q: input.value, why: hit.id, repo: repoParam(repo) }), { class: "button" }, "Under another ranking")),
      service().writable && marking(hit, input.value.trim()),
      h("details", { open: true, class: "why" }, h("summary", {}, `Why rank ${hit.rank}: ${hit.score.toFixed(4)} is the sum of these`), listed(hit.reasons, repo)),
      file);
    if (byPerson) pane.querySelector("h2")!.focus();
    void around(hit, file, hit.start_line - AROUND, hit.end_line + AROUND);
  }

  async function around(hit: Hit, into: HTMLElement, from: number, to: number): Promise<void> {
    try {
      const file = await get<FileText>("file", { path: hit.path, repo: hit.repository, start_line: Math.max(1, from), end_line: to });
      const shown = code({ text: file.text, language: file.language, first: file.start_line, marked: [hit.start_line, hit.end_line], label: `${file.path}, lines ${file.start_line} to ${file.end_line}` });
      fill(into, file.changed && h("p", { class: "notice" }, "The file has changed since it was indexed; lines may be off until it is read again."),
        file.start_line > 1 && h("button", { type: "button", onclick: () => void around(hit, into, file.start_line - 200, file.end_line) }, `${counted(file.start_line - 1, "line")} above`),
        shown,
        file.end_line < file.lines && h("button", { type: "button", onclick: () => void around(hit, into, file.start_line, file.end_line + 200) }, `${counted(file.lines - file.end_line, "line")} below`));
      const mark = shown.querySelector<HTMLElement>(".line.hit");
      if (mark && shown.scrollHeight > shown.clientHeight) shown.scrollTop = Math.max(0, mark.offsetTop - shown.offsetTop - 60);
    } catch (error) {
      fill(into, failure(error));
    }
  }

  function shut(): void {
    const was = selected;
    selected = "";
    close();
    note(address("/", params()));
    const back = [...results.children].find((one) => was.endsWith((one as HTMLElement).dataset.id ?? "\0"));
    (back?.querySelector<HTMLElement>("a.title") ?? input).focus();
  }

  function keys(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
    if (event.key === "/" && !typing) { event.preventDefault(); input.focus(); input.select(); }
    else if (event.key === "Escape") {
      if (!pane.hidden) { event.preventDefault(); shut(); }
      else if (event.target !== input) input.focus();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (typing && event.target !== input) return;
      if (event.target instanceof Element && event.target.closest(".pane, .code")) return;
      const all = titles();
      const at = all.findIndex((one) => one === document.activeElement);
      if (event.target === input && event.key === "ArrowUp") return;
      event.preventDefault();
      if (at <= 0 && event.key === "ArrowUp") input.focus();
      else all[Math.min(at + (event.key === "ArrowDown" ? 1 : -1), all.length - 1)]?.focus();
    }
  }

  addEventListener("keydown", keys);
  if (input.value) { latest = 1; void next(); } else welcome();
  // A link to results is read, a bare page is typed into.
  if (!input.value) input.focus();
  return () => { removeEventListener("keydown", keys); clearTimeout(again); latest = done = -1; };
}

/** Say that a hit is relevant to the question, or not; it goes into a collection on the server's disk. */
export function marking(hit: { id: string; repository: string }, question: string): HTMLElement {
  let name = "mine";
  try { name = localStorage.getItem("plait-collection") ?? name; } catch { /* storage is switched off */ }
  const into = h("input", { type: "text", value: name, maxlength: 64, pattern: "[A-Za-z0-9._\\-]+", spellcheck: "false", onchange: () => void read() });
  const told = h("span", { role: "status" });
  const marks = h("span", { class: "toggles", role: "group", "aria-label": "Is this relevant to the question?" });
  const options: [string, number][] = [["Relevant", 1], ["Not relevant", 0]];

  function draw(judged: Judgements | null): void {
    const topic = judged?.topics?.find((one) => one.text === question);
    const now = topic?.judged.find((one) => one.symbol === hit.id)?.relevance ?? null;
    const count = topic?.judged.length ?? 0;
    fill(marks, options.map(([text, relevance]) => {
      const on = now !== null && (now > 0) === (relevance > 0);
      return h("button", { type: "button", class: "toggle", "aria-pressed": on ? "true" : "false", onclick: () => void put(on ? null : relevance) }, text);
    }));
    fill(told, judged ? `${counted(count, "judgement")} for this question` : "");
  }
  async function put(relevance: number | null): Promise<void> {
    try {
      try { localStorage.setItem("plait-collection", into.value); } catch { /* it is asked for again */ }
      draw(await post<Judgements>("judgements", { collection: into.value, repository: hit.repository || repository(), query: question, symbol: hit.id, relevance }));
    } catch (error) { fill(told, failure(error)); }
  }
  async function read(): Promise<void> {
    draw(await get<Judgements>("judgements", { collection: into.value }).catch(() => null));
  }
  draw(null);
  void read();
  return h("div", { class: "marking" }, h("span", {}, "To this question"), marks, field("into collection", into), told);
}

