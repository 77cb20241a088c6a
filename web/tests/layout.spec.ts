import { expect, test } from "@playwright/test";
import { BOX, crossings, layout, order } from "../src/layout";

const node = (id: string, layer: number) => ({ id, layer });
const link = (source: string, target: string) => ({ source, target });

test("lines that need not cross do not", () => {
  const nodes = [node("a", 0), node("b", 0), node("c", 0), node("x", 1), node("y", 1), node("z", 1)];
  const links = [link("a", "z"), link("b", "y"), link("c", "x")];
  const layers = order(nodes, links);
  expect(crossings([["a", "b", "c"], ["x", "y", "z"]], links, new Map(nodes.map((one) => [one.id, one.layer])))).toBe(3);
  expect(crossings(layers, links, new Map(nodes.map((one) => [one.id, one.layer])))).toBe(0);
  expect(order(nodes, links)).toEqual(layers);
});

test("callers stand left of the symbol, callees right", () => {
  const { at } = layout([node("callee", 1), node("self", 0), node("caller", -1)], [link("caller", "self"), link("self", "callee")]);
  expect(at.get("caller")!.x).toBeLessThan(at.get("self")!.x);
  expect(at.get("self")!.x).toBeLessThan(at.get("callee")!.x);
});

test("of 300 boxes none lies on another, and a hundred in one layer stand in several columns", () => {
  const nodes = Array.from({ length: 300 }, (_, n) => node(`n${n}`, n % 3));
  const links = nodes.map((one, n) => link(one.id, `n${(n * 7 + 1) % 300}`));
  const { at, width, height } = layout(nodes, links);
  const all = [...at.values()];
  const on = all.filter((a, n) => all.some((b, m) => m > n && Math.abs(a.x - b.x) < BOX.width && Math.abs(a.y - b.y) < BOX.height));
  expect(on).toEqual([]);
  expect(all.length).toBe(300);
  expect(all.every(({ x, y }) => x >= 0 && y >= 0 && x + BOX.width <= width && y + BOX.height <= height)).toBe(true);
  expect(new Set(all.map(({ x }) => x)).size).toBe(9);
});

test("a graph without lines, and one of nothing, are laid out", () => {
  expect(layout([node("a", 0)], []).at.size).toBe(1);
  expect(layout([], []).at.size).toBe(0);
});
