/** First paint, and keystroke to painted results, against a running server:
 *
 *     node figures.mjs http://127.0.0.1:8765 REPOSITORY "first question,second question"
 */
import { createRequire } from "node:module";
const { chromium } = createRequire(import.meta.url)("@playwright/test");
const base = process.argv[2], repo = process.argv[3], words = process.argv[4];
const b = await chromium.launch({ executablePath: process.env.PLAIT_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const paints = [];
for (let i = 0; i < 9; i++) {
  const c = await b.newContext(); const p = await c.newPage();
  await p.goto(`${base}/?repo=${repo}`); await p.waitForSelector("#question");
  await p.waitForTimeout(300);
  paints.push(await p.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
  await c.close();
}
const med = (a) => [...a].sort((x, y) => x - y)[Math.floor(a.length / 2)];
console.log("first contentful paint, ms: median", med(paints).toFixed(0), "worst", Math.max(...paints).toFixed(0));
const p = await b.newPage();
await p.goto(`${base}/?repo=${repo}`); await p.waitForSelector("#question");
await p.evaluate(() => {
  window.times = []; let at = 0;
  document.querySelector("#question").addEventListener("input", () => { at = performance.now(); }, true);
  new MutationObserver(() => { if (at) { const then = at; at = 0; requestAnimationFrame(() => setTimeout(() => window.times.push(performance.now() - then), 0)); } }).observe(document.querySelector("ol.hits"), { childList: true });
});
for (const word of words.split(",")) { await p.fill("#question", ""); await p.waitForTimeout(300); for (const ch of word) { await p.keyboard.type(ch); await p.waitForTimeout(350); } }
const t = (await p.evaluate(() => window.times)).slice(1);
console.log("keystroke to painted results, ms: n", t.length, "median", med(t).toFixed(0), "p95", [...t].sort((a, b) => a - b)[Math.floor(t.length * 0.95)].toFixed(0), "worst", Math.max(...t).toFixed(0));
await b.close();
