import { expect, test, visit } from "./page";
import { NAME } from "./hostile";

const ADDRESSES = [
  "/?q=script+alert&repo=hostile", "/compare?q=script+alert&repo=hostile&a=vector&b=additive&why=script_alert",
  "/graph?repo=hostile&symbol=script_alert", "/graph?mode=path&repo=hostile&symbol=script_alert&to=reordered",
  "/graph?mode=impact&repo=hostile&symbol=reordered", "/graph?mode=flows&repo=hostile", "/status?repo=hostile",
  `/?q=${encodeURIComponent('"><script>window.pwned=1</script>')}&repo=hostile`, `/graph?repo=hostile&symbol=${encodeURIComponent(NAME)}`,
  `/judge?collection=${encodeURIComponent(NAME)}`, `/?q=script&sel=${encodeURIComponent(NAME)}&repo=${encodeURIComponent(NAME)}`,
];

test("hostile names, files and comments stay text in every view", async ({ page }) => {
  for (const address of ADDRESSES) {
    await visit(page, address);
    const found = await page.evaluate(() => ({
      pwned: (window as any).pwned, made: document.querySelectorAll("main script, img, iframe, main b, [onload], [onerror], [onmouseover], [href^='javascript:']").length,
    }));
    expect(found, address).toEqual({ pwned: undefined, made: 0 });
  }
});

test("the code of a hit is shown to the letter, and what would reorder it by number", async ({ page }) => {
  await visit(page, "/?q=script+alert&repo=hostile");
  await page.locator(".hit a.title").first().click();
  await expect(page.locator(".pane .code")).toContainText("<iframe srcdoc='<script>parent.pwned=1</script>'>");
  await expect(page.locator(".pane .code")).toContainText("⟨U+202E⟩");
  expect(await page.locator("body").textContent()).not.toContain("\u202e");
});

test("the page comes with a policy that allows no inline script", async ({ request }) => {
  const policy = (await request.get("/")).headers()["content-security-policy"] ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain("unsafe");
});
