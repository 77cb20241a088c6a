import { defineConfig } from "vite";

// `PLAIT_SERVER` is where `npx vite` finds a running `plait serve` while the page is being written.
export default defineConfig({
  base: "/",
  build: {
    outDir: process.env.PLAIT_PAGE ?? "../src/plait/doors/page",
    emptyOutDir: true,
    target: ["chrome123", "firefox120", "safari17.5"],
    assetsInlineLimit: 0, // the content security policy allows images and styles from files
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": process.env.PLAIT_SERVER ?? "http://127.0.0.1:8765" } },
});
