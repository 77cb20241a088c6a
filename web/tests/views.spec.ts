import { readFileSync } from "node:fs";
import { expect, test, visit, VIEWS } from "./page";

test("results come while one types; arrows, Enter and Esc lead to the code and back; the link can be shared", async ({ page }) => {
  await visit(page, "/?repo=plait");
  await page.locator("body").press("/");
  await page.keyboard.type("engine search");
  await expect(page.locator(".hit")).toHaveCount(10);
  await expect(page.locator("svg.bar")).toHaveCount(10);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const title = page.locator(".hit a.title").nth(1);
  await expect(title).toBeFocused();
  const name = await title.locator(".name").textContent();
  await page.keyboard.press("Enter");
  await expect(page.locator(".pane .code .line.hit").first()).toBeVisible();
  const shared = page.url();
  await page.keyboard.press("Escape");
  await expect(page.locator(".pane")).toBeHidden();
  await expect(page.locator(".hit a.title").nth(1)).toBeFocused();
  await page.goto(shared);
  await expect(page.locator(".hit.chosen .name")).toHaveText(name!);
  await expect(page.locator(".pane .code .line.hit").first()).toBeVisible();
});

test("the bars of a hit are its reasons, and these sum up to its score", async ({ page, request }) => {
  const found = await (await request.get("/api/v1/search?q=bm25+formula&repo=plait&k=10")).json();
  await visit(page, "/?q=bm25+formula&repo=plait");
  const first = found.hits[0];
  expect(first.reasons.reduce((sum: number, one: any) => sum + one.value, 0)).toBeCloseTo(first.score, 6);
  await expect(page.locator(".hit").first().locator("svg.bar rect[class^=of-]")).toHaveCount(new Set(first.reasons.map((one: any) => one.source)).size);
});

test("filters narrow the results down", async ({ page }) => {
  await visit(page, "/?q=write&repo=plait");
  await page.getByRole("button", { name: "class", exact: true }).click();
  await expect(page).toHaveURL(/kind=class/);
  await expect(page.locator(".hit .kind").first()).toHaveText("class");
  expect(new Set(await page.locator(".hit .line1 .kind:first-of-type").allTextContents())).toEqual(new Set(["class"]));
  await page.getByRole("textbox", { name: "Path" }).fill("store/*");
  await expect(page).toHaveURL(/path=store/);
  await expect.poll(async () => (await page.locator(".hit .line2").allTextContents()).every((place) => place.includes("store/"))).toBe(true);
});

test("no result says so", async ({ page }) => {
  await visit(page, '/?q=%22zzz+nowhere+zzz%22&repo=plait');
  await expect(page.getByText("No result")).toBeVisible();
});

test("two rankings stand side by side with a line for every movement, and a missing symbol gets its cause", async ({ page, request }) => {
  const found = await (await request.get("/api/v1/explain?q=walk+the+call+graph&a=lexical&b=additive&k=10&repo=plait")).json();
  await visit(page, "/compare?q=walk+the+call+graph&repo=plait&a=lexical&b=additive");
  await expect(page.locator(".side:first-child li")).toHaveCount(found.a.hits.length);
  await expect(page.locator(".side:last-child li")).toHaveCount(found.b.hits.length);
  await expect(page.locator("path.move")).toHaveCount(found.movements.length);
  await page.getByLabel("Symbol").fill("errors.EmptyQuery");
  await page.getByLabel("Symbol").press("Enter");
  await expect(page.locator(".whynot .verdict")).toHaveText(/^(Never a candidate|Outranked|Cut|It is here)/);
});

test("an ambiguous name offers its choices, and one of them leads on", async ({ page }) => {
  await visit(page, "/graph?repo=plait&symbol=search");
  const choice = page.locator(".notice.bad button").first();
  await expect(choice).toBeVisible();
  await choice.click();
  await expect(page.locator(".box.centre")).toHaveCount(1);
});

test("the graph holds what the server says, is walked by arrows, unfolded, and saved as one SVG file", async ({ page, request }) => {
  const asked = "symbol=engine.Engine.search&depth=2&repo=plait&limit=60";
  const found = await (await request.get(`/api/v1/graph?${asked}`)).json();
  await visit(page, `/graph?${asked}`);
  await expect(page.locator(".box")).toHaveCount(found.nodes.length);
  const pairs = new Set(found.edges.filter((one: any) => one.source !== one.target).map((one: any) => `${one.source} ${one.target}`));
  await expect(page.locator(".lines .call")).toHaveCount(pairs.size);
  await expect(page.getByRole("button", { name: /^Engine\.search\b.*\bmethod, \d+ callers?/s })).toHaveCount(1);
  await page.locator(".box.centre").focus();
  await page.keyboard.press("ArrowRight");
  const focused = await page.evaluate(() => (document.activeElement as unknown as SVGElement).dataset.id);
  expect(found.nodes.find((one: any) => one.id === focused).hop).toBe(1);
  await page.keyboard.press("Enter");
  await expect(page.locator(".pane h2")).not.toHaveText("Engine.search");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save SVG" }).click()]);
  const text = readFileSync((await saved.path())!, "utf8");
  expect(text.match(/<g [^>]*transform="translate/g)!.length).toBe(found.nodes.length);
  expect(text).not.toContain("var(--");
  const drawn = await page.evaluate((source) => new DOMParser().parseFromString(source, "image/svg+xml").querySelectorAll("parsererror, script").length, text);
  expect(drawn).toBe(0);
  await page.getByRole("button", { name: "Expand" }).click();
  await expect(page).toHaveURL(/expand=/);
  await expect(page.locator(".box")).not.toHaveCount(0);
});

test("a path, its absence, and an impact are drawn and told", async ({ page }) => {
  await visit(page, "/graph?mode=path&repo=plait&symbol=finding.find&to=finding._close");
  await expect(page.locator(".verdict")).toContainText("the shortest chain that is known");
  expect(await page.locator(".box").count()).toBeGreaterThan(1);
  await visit(page, "/graph?mode=path&repo=plait&symbol=finding._close&to=finding.find");
  await expect(page.locator(".verdict")).toContainText(/There is none|No chain is known|possible/);
  await visit(page, "/graph?mode=impact&repo=plait&symbol=finding.hits");
  await expect(page.locator(".box.changed")).toHaveCount(1);
  expect(await page.locator(".box").count()).toBeGreaterThan(1);
});

test("flows begin at an entry point and one leads to another", async ({ page }) => {
  await visit(page, "/graph?mode=flows&repo=plait");
  await expect(page.locator(".box.centre")).toHaveCount(1);
  await page.locator(".flows a").nth(1).click();
  await expect(page.locator('.flows a[aria-current="true"]')).toHaveCount(1);
  await expect(page.locator(".box.centre")).toHaveCount(1);
});

test("from the table to the question to the trace to the code", async ({ page }) => {
  await visit(page, "/judge");
  await page.getByRole("link", { name: "shop", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Question by question" })).toBeVisible();
  await page.getByRole("link", { name: /^Q8 / }).click();
  await expect(page.locator(".side")).toHaveCount(2);
  await expect(page.locator(".one.relevant").first()).toBeVisible();
  await page.locator(".side .name").first().click();
  await expect(page.locator(".pane .code")).toBeVisible();
});

test("a mark beside a result is kept, and taken back", async ({ page }) => {
  await visit(page, "/?q=engine+search&repo=plait");
  await page.locator(".hit a.title").first().click();
  const relevant = page.getByRole("button", { name: "Relevant", exact: true });
  await relevant.click();
  await expect(relevant).toHaveAttribute("aria-pressed", "true");
  await page.reload();
  await expect(relevant).toHaveAttribute("aria-pressed", "true");
  await relevant.click();
  await expect(relevant).toHaveAttribute("aria-pressed", "false");
});

test("the index tells what was left out and what is unresolved", async ({ page, request }) => {
  const found = await (await request.get("/api/v1/status?repo=plait")).json();
  await visit(page, "/status?repo=plait");
  await expect(page.locator(".facts")).toContainText(found.index.symbols.toLocaleString("en"));
  for (const reason of Object.keys(found.skipped)) await expect(page.locator(".bars th", { hasText: reason }).first()).toBeVisible();
  await expect(page.locator(".sites li").first()).toBeVisible();
});

test("the chosen colours last", async ({ page }) => {
  await visit(page, "/");
  await page.getByLabel("Colours").selectOption("dark");
  await page.reload();
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
});

for (const [size, viewport] of Object.entries({ "a phone": { width: 360, height: 740 }, "200 % zoom": { width: 640, height: 430 } })) {
  test(`nothing is wider than ${size}`, async ({ page }) => {
    await page.setViewportSize(viewport);
    for (const [name, address] of VIEWS) {
      await visit(page, address);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), name).toBeLessThanOrEqual(0);
    }
  });
}
