/** What is indexed, what was left out and why, what could not be resolved, and how far a build is. */

import { get, post, type Progress, type Status, type Unresolved } from "./api";
import { counted, fill, h, s, type Child } from "./dom";
import { choice, failure, field, notices, repository, siteList, waiting } from "./parts";

const PAGE = 200;

export function status(main: HTMLElement): () => void {
  const repo = repository();
  let ended = false, state = "";
  const moving = h("div", { class: "progress", role: "status", "aria-live": "polite" });
  const body = h("div"), skips = h("div"), sites = h("div");
  const look = h("button", { type: "button", onclick: () => void refresh(false) }, "Look for edits now");
  const anew = h("button", { type: "button", onclick: () => void refresh(true) }, "Build anew");
  fill(main, h("h1", {}, repo ? `Index of ${repo}` : "Index"), moving, body, h("p", { class: "actions" }, look, anew),
    h("section", { class: "block" }, h("h2", {}, "Left out"), skips), h("section", { class: "block" }, h("h2", {}, "Calls that could not be resolved"), sites));

  async function refresh(full: boolean): Promise<void> {
    try { await post("refresh", full ? { repository: repo, full } : { repository: repo }); fill(moving, h("p", { class: "quiet" }, "Looking …")); }
    catch (error) { fill(moving, failure(error)); }
  }

  async function draw(): Promise<void> {
    try {
      const found = await get<Status>("status", { repo, skipped: true, limit: PAGE });
      if (ended) return;
      const index = found.index;
      fill(body, notices(found.notices ?? []), h("dl", { class: "facts" },
        fact("Folder", found.root), fact("State", found.fresh ? "fresh: every file is as it was read" : index ? "stale: files have changed" : "not indexed yet"),
        index && [fact("Files", number(index.files)), fact("Symbols", number(index.symbols)), fact("Edges", kinds(index.edges)), fact("Unresolved", number(index.unresolved)), fact("Commit", index.commit ?? ""), fact("Embedder", index.embedder ?? ""), fact("Graph", index.graph ?? "")]),
      contents(found));
      left(found);
    } catch (error) { if (!ended) fill(body, failure(error)); }
  }

  function left(found: Status): void {
    const reasons = Object.entries(found.skipped).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    const most = Math.max(1, ...reasons.map(([, count]) => count));
    const list = h("div");
    const files = (found.skipped_files ?? []).slice();
    const chosen = choice([["", "every reason"], ...reasons.map(([one]) => [one, one] as const)], "", () => rows());
    const total = found.skipped_total ?? files.length;
    const rows = (): void => {
      const shown = files.filter((one) => !chosen.value || one.reason === chosen.value);
      fill(list, shown.length > 0 && h("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "What was left out" }, h("table", { class: "list" }, h("thead", {}, h("tr", {}, ["What", "Why", "Files"].map((one) => h("th", { scope: "col" }, one)))),
        h("tbody", {}, shown.map((one) => h("tr", {}, h("th", { scope: "row" }, one.path), h("td", {}, one.reason, one.detail && `: ${one.detail}`), h("td", { class: "figure" }, one.count || "–")))))),
      files.length < total && h("button", { type: "button", onclick: async () => {
        const more = await get<Status>("status", { repo, skipped: true, limit: PAGE, offset: files.length }).catch(() => null);
        if (!more?.skipped_files?.length) return;
        files.push(...more.skipped_files);
        rows();
      } }, `Show more (${counted(total - files.length, "other")})`));
    };
    rows();
    const recovered = found.recovered_files ?? [];
    fill(skips, reasons.length === 0 ? h("p", { class: "quiet" }, "Nothing was left out.") : [bars(reasons, most), field("Reason", chosen), list],
      recovered.length > 0 && [h("h3", {}, `Read with errors (${recovered.length})`), h("ul", { class: "sites" }, recovered.map((one) => h("li", {}, h("code", {}, one.path), `: ${one.problem}`,
        one.left_out.length > 0 && `; not fully understood: lines ${one.left_out.slice(0, 8).map((part) => (part.start_line === part.end_line ? part.start_line : `${part.start_line}–${part.end_line}`)).join(", ")}`)))]);
  }

  async function open(reason = ""): Promise<void> {
    try {
      const found = await get<Unresolved>("unresolved", { repo, reason: CODES[reason] ?? reason, k: 100 });
      if (ended) return;
      const most = Math.max(1, ...found.reasons.map((one) => one.count));
      fill(sites, found.reasons.length === 0 ? h("p", { class: "quiet" }, "Every call is resolved.") : [
        bars(found.reasons.map((one) => [one.reason, one.count]), most), h("p", { class: "quiet" }, "External and builtin calls lead out of the repository; the others could stay in it."),
        field("Reason", choice([["", "all that could be here"], ...found.reasons.map((one) => [one.reason, one.reason] as const)], reason, (one) => void open(one))),
        siteList(found.unresolved, found.total, repo)]);
    } catch (error) { if (!ended) fill(sites, failure(error)); }
  }

  fill(body, waiting());
  void draw();
  void open();
  const stream = new EventSource(`/api/v1/progress${repo ? `?repo=${encodeURIComponent(repo)}` : ""}`);
  stream.addEventListener("progress", (event) => {
    const told = JSON.parse((event as MessageEvent<string>).data) as Progress & { repository: string };
    if (told.repository !== repo) return;
    fill(moving, h("label", {}, `${told.stage}: ${told.done.toLocaleString("en")} of ${told.total.toLocaleString("en")} `, h("progress", { max: Math.max(1, told.total), value: told.done })));
  });
  stream.addEventListener("ready", (event) => {
    const told = JSON.parse((event as MessageEvent<string>).data) as { repository: string; state: string };
    if (told.repository !== repo) return;
    fill(moving);
    if (state && state !== told.state) { void draw(); void open(); }
    state = told.state;
  });
  stream.addEventListener("problem", (event) => {
    const told = JSON.parse((event as MessageEvent<string>).data) as { repository: string; message: string };
    if (told.repository === repo) fill(moving, failure(new Error(told.message)));
  });
  return () => { ended = true; stream.close(); };
}

/** What the API calls the reasons that it tells in words. */
const CODES: Record<string, string> = { "unknown receiver": "receiver", "unknown name": "name", "no such member": "member" };

function number(value: unknown): string { return typeof value === "number" ? value.toLocaleString("en") : String(value ?? ""); }

function kinds(edges: unknown): string {
  return typeof edges === "object" && edges !== null ? Object.entries(edges).map(([kind, count]) => `${kind} ${number(count)}`).join(", ") : number(edges);
}

function fact(name: string, value: string): Child { return value !== "" && h("div", {}, h("dt", {}, name), h("dd", {}, value)); }

function bars(counts: readonly (readonly [string, number])[], most: number): HTMLElement {
  return h("table", { class: "bars" }, h("caption", { class: "unseen" }, "How many by reason"), h("tbody", {}, counts.map(([name, count]) => h("tr", {}, h("th", { scope: "row" }, name),
    h("td", { class: "figure" }, count.toLocaleString("en")), h("td", {}, s("svg", { viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { class: "ground", width: 100, height: 1 }), s("rect", { class: "full", width: (100 * count) / most, height: 1 })))))));
}

function contents(found: Status): Child {
  const all = found["contents"];
  if (!Array.isArray(all)) return false;
  return h("p", { class: "quiet" }, all.map((one: Record<string, unknown>, n: number) => `${n ? "; " : ""}${one["content"]}: ${counted(Number(one["files"] ?? 0), "file")}`));
}
