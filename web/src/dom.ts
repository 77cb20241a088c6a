/** Elements from values. Text only ever becomes a text node and markup is never parsed: code is hostile. */

export type Child = Node | string | number | null | undefined | false | readonly Child[];
type Value = string | number | boolean | null | undefined | ((event: any) => void);
export type Props = Record<string, Value>;

const SVG = "http://www.w3.org/2000/svg";

/** Characters that reorder or hide text (Unicode's bidirectional and invisible controls, and C0 but tab and line end). */
const HIDING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Text as it may be shown: what would hide or reorder the rest stands there by its number. */
export function shown(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(HIDING, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  return filled(document.createElement(tag), props, children);
}

export function s<K extends keyof SVGElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  return filled(document.createElementNS(SVG, tag) as SVGElementTagNameMap[K], props, children);
}

function filled<E extends Element>(element: E, props: Props, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

export function add(parent: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) add(parent, child);
    else parent.appendChild(child instanceof Node ? child : document.createTextNode(shown(String(child))));
  }
}

/** Put other children in the place of what an element holds. */
export function fill(parent: Element, ...children: Child[]): void {
  const made = document.createDocumentFragment();
  add(made, children);
  parent.replaceChildren(made);
}

/** `1 caller`, `2,000 callers`. */
export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : nouns}`;
}

/** The last `length` characters' worth of a name: its end tells more than its beginning. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `…${text.slice(text.length - length + 1)}`;
}
