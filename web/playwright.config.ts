import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

/** Debian's chromium, or the one that PLAIT_CHROMIUM names; no browser is downloaded. */
const chromium = process.env.PLAIT_CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

export default defineConfig({
  testDir: "tests",
  globalSetup: "./tests/server.ts",
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  reporter: [["list"]],
  use: { launchOptions: { executablePath: chromium, args: ["--no-sandbox"] }, viewport: { width: 1280, height: 860 } },
});
