/** What several views share: links to symbols, fields, notices, the choice of a repository. */

import { counted, fill, h, type Child } from "./dom";
import { ApiError, get, type Service, type Site, type Sym } from "./api";
import { address, here, link } from "./route";

let known: Service = { version: "", writable: false, repositories: [], strategies: [], strategy: "", kinds: [] };
export function service(): Service { return known; }
export function serve(told: Service): void { known = told; }

/** The repository that a view is about: the one named in the address, else the first that is no corpus. */
export function repository(): string {
  const named = here().get("repo");
  if (named) return named;
  return (known.repositories.find((one) => one.role !== "corpus") ?? known.repositories[0])?.name ?? "";
}

/** For links: only said where there is a choice. */
export function repoParam(name = repository()): string | undefined {
  return known.repositories.length > 1 ? name : undefined;
}

/** `Class.method` of an id, or the module's path. */
export function nameOf(id: string): string {
  const at = id.indexOf(":");
  const path = id.slice(0, at), descriptors = id.slice(at + 1);
  const name = descriptors.replace(/\(\+?\d*\)\.?$/g, "").replace(/[#/.]+$/g, "").replace(/\(\+?\d*\)\./g, ".").replace(/#/g, ".").replace(/^\//, "");
  return name || decoded(path);
}

function decoded(path: string): string {
  try { return decodeURIComponent(path); } catch { return path; }
}

/** The last two names of a qualified one. */
export function shortName(symbol: { symbol: string; kind: string }): string {
  return symbol.symbol.split(".").slice(symbol.kind === "method" ? -2 : -1).join(".");
}

export function symbolLink(symbol: string | Sym, repo: string): HTMLElement {
  const id = typeof symbol === "string" ? symbol : symbol.id;
  const name = typeof symbol === "string" ? nameOf(symbol) : symbol.symbol;
  return link(address("/graph", { symbol: id, repo: repoParam(repo) }), { class: "name" }, name);
}

/** A file at its lines, as text that may break after slashes. */
export function place(at: { path: string; start_line: number; end_line: number; cell?: number; cell_line?: number }): Child {
  const pieces = `${at.path}:${at.start_line}-${at.end_line}`.split("/");
  const notebook = at.cell ? ` (cell ${at.cell}, line ${at.cell_line})` : "";
  return [pieces.map((piece, n) => [n > 0 && ["/", h("wbr")], piece]), notebook];
}

export function failure(error: unknown, chosen?: (name: string) => void): HTMLElement {
  const told = error instanceof ApiError ? error : new ApiError(0, "internal", String(error instanceof Error ? error.message : error));
  return h("div", { class: "notice bad", role: "alert" }, h("p", {}, told.message),
    told.code === "not_ready" && h("p", {}, "It is being read; this page asks again by itself. ", link("/status", {}, "How far it is")),
    told.choices.length > 0 && h("p", {}, "Did you mean ", told.choices.slice(0, 12).map((name, n) => [n > 0 && ", ",
      chosen ? h("button", { type: "button", class: "plain", onclick: () => chosen(name) }, name) : h("code", {}, name)]), "?"));
}

export function waiting(what = "Loading …"): HTMLElement { return h("p", { class: "quiet", role: "status" }, what); }

export function notices(all: readonly string[]): Child {
  return all.length > 0 && h("div", { class: "notice" }, all.map((one) => h("p", {}, one)));
}

export function field(label: string, control: HTMLElement, wide = false): HTMLElement {
  return h("label", { class: wide ? "field wide" : "field" }, h("span", {}, label), control);
}

export function choice(options: readonly (readonly [value: string, text: string])[], chosen: string, changed: (value: string) => void): HTMLSelectElement {
  const made = h("select", { onchange: () => changed(made.value) }, options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
  return made;
}

/** A strategy without its parameters. */
export function strategyName(described: string): string { return described.split("(")[0] ?? described; }

let lists = 0;
/** A field for a symbol that completes what is typed. `chosen` is called on Enter and when an offered name is taken. */
export function symbolField(label: string, value: string, chosen: (name: string) => void): HTMLElement {
  const list = h("datalist", { id: `symbols-${++lists}` });
  let asked = "", timer = 0;
  const offered = new Set<string>();
  const input = h("input", {
    type: "text", value, list: list.id, autocomplete: "off", spellcheck: "false", autocapitalize: "off", placeholder: "Class.method, or path:line",
    oninput: () => {
      if (offered.has(input.value)) { chosen(input.value); return; }
      clearTimeout(timer);
      timer = window.setTimeout(async () => {
        const prefix = input.value.trim();
        if (prefix.length < 2 || prefix === asked) return;
        asked = prefix;
        const found = await get<{ symbols: Sym[] }>("symbols", { prefix, limit: 20, repo: repository() }).catch(() => ({ symbols: [] }));
        if (asked !== prefix) return;
        offered.clear();
        const names = new Map<string, number>();
        for (const one of found.symbols) names.set(one.symbol, (names.get(one.symbol) ?? 0) + 1);
        fill(list, found.symbols.map((one) => {
          const name = names.get(one.symbol)! > 1 ? one.id : one.symbol;
          offered.add(name);
          return h("option", { value: name }, `${one.kind}, ${one.path}:${one.start_line}`);
        }));
      }, 80);
    },
    onkeydown: (event: KeyboardEvent) => { if (event.key === "Enter" && input.value.trim()) { event.preventDefault(); chosen(input.value.trim()); } },
  });
  return h("div", { class: "field wide" }, h("label", {}, h("span", {}, label), input), list);
}

export function siteList(sites: readonly Site[], total: number, repo: string): HTMLElement {
  return h("div", {}, h("ul", { class: "sites" }, sites.map((site) => h("li", {},
    h("code", {}, `${site.expression}(…)`), ` in `, symbolLink(site.source, repo), ` at ${site.path}:${site.line}: ${site.reason}${site.detail && ` (${site.detail})`}`))),
    total > sites.length && h("p", { class: "quiet" }, `${counted(total - sites.length, "more site")} not shown`));
}
