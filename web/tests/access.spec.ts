import { expect, faults, test, visit, VIEWS } from "./page";

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing serious in any view, ${colorScheme}`, async ({ page }) => {
    test.setTimeout(180_000);
    await page.emulateMedia({ colorScheme });
    for (const [name, address] of VIEWS) {
      await visit(page, address);
      expect(await faults(page), name).toEqual([]);
    }
  });
}

test("every control has a name", async ({ page }) => {
  for (const [name, address] of VIEWS) {
    await visit(page, address);
    const nameless = await page.getByRole("button", { name: /^$/ }).count() + await page.getByRole("link", { name: /^$/ }).count();
    expect(nameless, name).toBe(0);
  }
});
