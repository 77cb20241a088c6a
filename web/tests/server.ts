/** `plait serve` on its own source, on a hostile repository and on the shop; PLAIT_URL names one that runs already. */

import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { hostile } from "./hostile";

const SECONDS = 240;

export default async function start(): Promise<() => Promise<void>> {
  if (process.env.PLAIT_URL) return async () => {};
  const port = await free();
  const root = resolve(import.meta.dirname ?? __dirname, "../..");
  const command = process.env.PLAIT_COMMAND ?? join(root, ".venv/bin/plait");
  const made = mkdtempSync(join(tmpdir(), "plait-web-"));
  const server = spawn(command, ["serve", `plait=${join(root, "src/plait")}`, `hostile=${hostile()}`, "--port", String(port), "--write", made], {
    stdio: ["ignore", "inherit", "inherit"], env: { PLAIT_CACHE: join(made, "cache"), ...process.env },
  });
  process.env.PLAIT_URL = `http://127.0.0.1:${port}`;
  await ready(process.env.PLAIT_URL, server);
  return async () => { server.kill("SIGINT"); };
}

async function ready(url: string, server: ChildProcess): Promise<void> {
  for (let second = 0; second < SECONDS; second++) {
    if (server.exitCode !== null) throw new Error(`plait serve ended with ${server.exitCode}`);
    const told = await fetch(`${url}/api/v1/repositories`).then((reply) => reply.json()).catch(() => null);
    if (told?.repositories?.filter((one: { role: string }) => one.role !== "corpus").every((one: { ready: boolean }) => one.ready)) return;
    await new Promise((done) => setTimeout(done, 1000));
  }
  throw new Error(`plait serve was not ready after ${SECONDS} seconds`);
}

function free(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => { const { port } = probe.address() as { port: number }; probe.close(() => done(port)); });
  });
}
