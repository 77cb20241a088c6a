import "./style.css";
import { get, onUnauthorised, type Service } from "./api";
import { add, fill, h } from "./dom";
import { address, go, here, link, start } from "./route";
import { choice, failure, repository, serve, service } from "./parts";
import { search } from "./search";

/** A view fills the page's main part and returns what is to be ended when another one takes its place. */
export type View = (main: HTMLElement) => void | (() => void);

const VIEWS: Record<string, { title: string; load: () => Promise<View> | View }> = {
  "/": { title: "Search", load: () => search },
  "/compare": { title: "Compare", load: async () => (await import("./compare")).compare },
  "/graph": { title: "Graph", load: async () => (await import("./graph")).graph },
  "/judge": { title: "Judge", load: async () => (await import("./judge")).judge },
  "/status": { title: "Index", load: async () => (await import("./status")).status },
};

const main = document.querySelector("main")!;
let end: void | (() => void);
let shownAt = 0;

async function render(): Promise<void> {
  const turn = ++shownAt;
  const path = VIEWS[location.pathname] ? location.pathname : "/";
  head(path);
  const view = await VIEWS[path]!.load();
  if (turn !== shownAt) return;
  if (end) end();
  main.replaceChildren();
  main.className = `view-${path.slice(1) || "search"}`;
  document.title = `${VIEWS[path]!.title} · plait`;
  end = view(main);
}

function head(current: string): void {
  const names = service().repositories.map((one) => one.name);
  const repo = here().get("repo") ?? "";
  fill(document.querySelector("header")!,
    link("/", { class: "brand" }, "plait"),
    h("nav", { "aria-label": "Views" }, Object.entries(VIEWS).map(([path, { title }]) =>
      link(address(path, { repo, q: path === "/" || path === "/compare" ? here().get("q") : "" }), path === current ? { "aria-current": "page" } : {}, title))),
    names.length > 1 && h("label", { class: "repository" }, h("span", { class: "unseen" }, "Repository"),
      choice([...(current === "/" ? [["", "all repositories"] as const] : []), ...names.map((name) => [name, name] as const)],
        current === "/" ? repo : repository(), (name) => {
          const asked = here();
          if (name) asked.set("repo", name); else asked.delete("repo");
          for (const gone of ["symbol", "sel", "from", "to"]) asked.delete(gone);
          go(`${location.pathname}?${asked}`);
        })),
    theme());
}

/** The look is the system's until somebody says otherwise. */
function theme(): HTMLElement {
  const looks = ["system", "light", "dark"];
  const set = (look: string): void => {
    if (look === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset.theme = look;
  };
  let look = "system";
  try { look = localStorage.getItem("plait-theme") ?? look; } catch { /* storage is switched off */ }
  set(look);
  return h("label", { class: "theme" }, h("span", { class: "unseen" }, "Colours"), choice(looks.map((one) => [one, one] as const), look, (chosen) => {
    set(chosen);
    try { localStorage.setItem("plait-theme", chosen); } catch { /* it lasts as long as the page */ }
  }));
}

/** The token comes behind `#token=`, which is never sent, or from the person; it is kept as a cookie that no script reads. */
let asking: Promise<void> | null = null;
function authorise(): Promise<void> {
  asking ??= (async () => {
    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (given) {
      history.replaceState(null, "", location.pathname + location.search);
      if (await accepted(given)) return;
    }
    await new Promise<void>((done) => {
      const input = h("input", { type: "password", autocomplete: "current-password", required: true });
      const wrong = h("p", { class: "bad", role: "alert" });
      const dialog = h("dialog", { "aria-labelledby": "token-title" }, h("form", {
        onsubmit: async (event: Event) => {
          event.preventDefault();
          if (await accepted(input.value)) { dialog.close(); dialog.remove(); done(); }
          else fill(wrong, "This is not the token.");
        },
      }, h("h2", { id: "token-title" }, "This server asks for its token"), h("label", { class: "field" }, h("span", {}, "Token"), input), wrong,
        h("button", { type: "submit" }, "Continue")));
      dialog.addEventListener("cancel", (event) => event.preventDefault());
      add(document.body, [dialog]);
      dialog.showModal();
    });
  })().finally(() => { asking = null; });
  return asking;
}

async function accepted(token: string): Promise<boolean> {
  const reply = await fetch("/api/v1/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }) }).catch(() => null);
  return reply?.ok ?? false;
}

async function begin(): Promise<void> {
  onUnauthorised(authorise);
  head(location.pathname);
  try {
    serve(await get<Service>("repositories"));
  } catch (error) {
    fill(main, failure(error));
    return;
  }
  start(() => void render());
  await render();
}

void begin();
