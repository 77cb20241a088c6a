/** What every test of the page watches: nothing runs that is not ours, nothing is asked elsewhere, nothing fails unseen. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test as base, type Page } from "@playwright/test";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const test = base.extend({
  baseURL: async ({}, use) => { await use(process.env.PLAIT_URL!); },
  page: async ({ page }, use) => {
    const wrong: string[] = [];
    page.on("pageerror", (error) => wrong.push(String(error)));
    page.on("dialog", (dialog) => { wrong.push(`a dialog: ${dialog.message()}`); void dialog.dismiss(); });
    page.on("console", (message) => { if (/Content Security Policy|Refused to/.test(message.text())) wrong.push(message.text()); });
    page.on("request", (request) => { if (!/^(blob:|data:)/.test(request.url()) && new URL(request.url()).origin !== new URL(process.env.PLAIT_URL!).origin) wrong.push(`asked ${request.url()}`); });
    await use(page);
    expect(wrong).toEqual([]);
  },
});

export { expect };

/** Every view with something in it, as (name, address). */
export const VIEWS: [string, string][] = [
  ["welcome", "/"],
  ["search", "/?q=walk+the+call+graph&repo=plait"],
  ["code", "/?q=bm25&repo=plait&sel=store%2Fbm25.py%3A%2F"],
  ["compare", "/compare?q=walk+the+call+graph&repo=plait&a=lexical&b=additive&why=walks.walk"],
  ["around", "/graph?repo=plait&symbol=engine.Engine.search&depth=2"],
  ["path", "/graph?mode=path&repo=plait&symbol=finding.find&to=finding._close"],
  ["impact", "/graph?mode=impact&repo=plait&symbol=finding.hits"],
  ["flows", "/graph?mode=flows&repo=plait"],
  ["collections", "/judge"],
  ["evaluation", "/judge?collection=shop&strategy=vector&strategy=naive"],
  ["topic", "/judge?collection=shop&topic=Q8&a=vector&b=naive"],
  ["status", "/status?repo=plait"],
];

/** Go somewhere and wait until nothing is being loaded. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await expect(page.locator("main > *").first()).toBeAttached();
  await expect(page.locator("main").getByText(/^(Loading|Looking|Asking)/)).toHaveCount(0);
}

/** What axe calls serious or critical, one line each. */
export async function faults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => (window as any).axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.filter((one: any) => ["serious", "critical"].includes(one.impact))
    .map((one: any) => `${one.id}: ${one.nodes.length} x, ${one.nodes[0].html.slice(0, 160)} ${one.nodes[0].any?.[0]?.message ?? ""}`);
}
