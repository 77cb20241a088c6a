/** Code as coloured text. The grammars come in a part of their own, loaded after the first results are shown. */

import { common, createLowlight } from "lowlight";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import elixir from "highlight.js/lib/languages/elixir";
import haskell from "highlight.js/lib/languages/haskell";
import protobuf from "highlight.js/lib/languages/protobuf";
import scala from "highlight.js/lib/languages/scala";

const lowlight = createLowlight({ ...common, dockerfile, elixir, haskell, protobuf, scala });

/** What plait calls a language, where highlight.js calls it otherwise; zig has no grammar there, its nearest is C. */
const CALLED: Record<string, string> = { zig: "c", toml: "ini", tsx: "typescript", jsx: "javascript", shell: "bash", terraform: "ini", "c#": "csharp" };

export interface Piece { text: string; look: string }
interface Tree { type: string; value?: string; children?: Tree[]; properties?: { className?: unknown } }

/** The lines of a text, each as pieces with the class that colours them. */
export function coloured(text: string, language: string): Piece[][] {
  const name = CALLED[language] ?? language;
  if (!lowlight.registered(name)) return plain(text);
  const lines: Piece[][] = [[]];
  walk(lowlight.highlight(name, text) as Tree, "", lines);
  return lines;
}

function plain(text: string): Piece[][] {
  return text.split("\n").map((line) => [{ text: line, look: "" }]);
}

function walk(node: Tree, look: string, lines: Piece[][]): void {
  if (node.type === "text") {
    const [first, ...rest] = (node.value ?? "").split("\n");
    lines[lines.length - 1]!.push({ text: first!, look });
    for (const line of rest) lines.push([{ text: line, look }]);
    return;
  }
  const own = node.properties?.className;
  const inner = Array.isArray(own) ? own.join(" ") : look;
  for (const child of node.children ?? []) walk(child, inner, lines);
}
