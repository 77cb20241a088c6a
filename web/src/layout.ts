/** Where boxes stand: columns by call direction, in each the order that crosses few lines. The same input, the same picture. */

export interface Placed { x: number; y: number }
export interface Laid { at: Map<string, Placed>; width: number; height: number }

export const BOX = { width: 196, height: 42 };
const GAP = { x: 68, y: 14, sub: 18 };
/** More boxes of a layer than this stand in several columns beside each other; pictures of many may be taller. */
const LEAST_ROWS = 22;
const ROUNDS = 6;

export interface Node { id: string; layer: number }
export interface Link { source: string; target: string }

/** Place nodes from left to right by layer; within one they begin in the order given and move towards their neighbours. */
export function layout(nodes: readonly Node[], links: readonly Link[]): Laid {
  const layers = order(nodes, links);
  const most = Math.max(LEAST_ROWS, Math.ceil(2.2 * Math.sqrt(nodes.length)));
  const at = new Map<string, Placed>();
  const tallest = Math.max(1, ...layers.map((layer) => Math.min(layer.length, rows(layer.length, most))));
  const height = tallest * (BOX.height + GAP.y) - GAP.y;
  let x = 0;
  for (const layer of layers) {
    const deep = rows(layer.length, most), columns = Math.ceil(layer.length / deep);
    layer.forEach((id, n) => {
      const column = Math.floor(n / deep), filled = Math.min(deep, layer.length - column * deep);
      const top = (height - (filled * (BOX.height + GAP.y) - GAP.y)) / 2;
      at.set(id, { x: x + column * (BOX.width + GAP.sub), y: top + (n % deep) * (BOX.height + GAP.y) });
    });
    x += columns * (BOX.width + GAP.sub) - GAP.sub + GAP.x;
  }
  return { at, width: Math.max(BOX.width, x - GAP.x), height: Math.max(BOX.height, height) };
}

function rows(count: number, most: number): number {
  return count <= most ? Math.max(count, 1) : Math.ceil(count / Math.ceil(count / most));
}

/** The ids of each layer, leftmost first: sweeps that sort by the mean place of neighbours in the layer before. */
export function order(nodes: readonly Node[], links: readonly Link[]): string[][] {
  const layerOf = new Map(nodes.map((node) => [node.id, node.layer]));
  const numbers = [...new Set(layerOf.values())].sort((a, b) => a - b);
  const layers = numbers.map((number) => nodes.filter((node) => node.layer === number).map((node) => node.id));
  const around = new Map<string, string[]>(nodes.map((node) => [node.id, []]));
  for (const { source, target } of links) {
    if (source === target || !around.has(source) || !around.has(target)) continue;
    around.get(source)!.push(target);
    around.get(target)!.push(source);
  }
  let best = layers.map((layer) => [...layer]), fewest = crossings(best, links, layerOf);
  for (let round = 0; round < ROUNDS && fewest > 0; round++) {
    const forth = round % 2 === 0;
    const sweep = forth ? layers.keys() : [...layers.keys()].reverse();
    for (const n of sweep) {
      const fixed = layers[forth ? n - 1 : n + 1];
      if (!fixed) continue;
      const place = new Map(fixed.map((id, at) => [id, at / Math.max(1, fixed.length - 1)]));
      const layer = layers[n]!;
      const own = new Map(layer.map((id, at) => [id, at]));
      const mean = new Map(layer.map((id) => {
        const there = around.get(id)!.flatMap((other) => place.get(other) ?? []);
        return [id, there.length ? there.reduce((a, b) => a + b, 0) / there.length : own.get(id)! / Math.max(1, layer.length - 1)];
      }));
      layer.sort((a, b) => mean.get(a)! - mean.get(b)! || own.get(a)! - own.get(b)!);
    }
    const now = crossings(layers, links, layerOf);
    if (now < fewest) { fewest = now; best = layers.map((layer) => [...layer]); }
  }
  return best;
}

/** How many pairs of lines between neighbouring layers cross. */
export function crossings(layers: readonly (readonly string[])[], links: readonly Link[], layerOf: ReadonlyMap<string, number>): number {
  const place = new Map(layers.flatMap((layer, n) => layer.map((id, at) => [id, [n, at] as const] as const)));
  const between = new Map<number, [number, number][]>();
  for (const { source, target } of links) {
    const a = place.get(source), b = place.get(target);
    if (!a || !b || Math.abs(a[0] - b[0]) !== 1 || layerOf.get(source) === layerOf.get(target)) continue;
    const [low, high] = a[0] < b[0] ? [a, b] : [b, a];
    (between.get(low[0]) ?? between.set(low[0], []).get(low[0])!).push([low[1], high[1]]);
  }
  let count = 0;
  for (const lines of between.values()) {
    lines.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    // Counting inversions with a binary indexed tree keeps 300 nodes with thousands of lines at some milliseconds.
    const size = Math.max(...lines.map((line) => line[1])) + 2;
    const tree = new Int32Array(size + 1);
    lines.forEach(([, end], seen) => {
      let before = 0;
      for (let i = end + 1; i > 0; i -= i & -i) before += tree[i]!;
      count += seen - before;
      for (let i = end + 1; i <= size; i += i & -i) tree[i]! += 1;
    });
  }
  return count;
}
