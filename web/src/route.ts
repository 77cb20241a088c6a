/** Where a person is stands in the address: every view can be shared, and Back leads to the one before. */

import { h, type Child, type Props } from "./dom";
import { query, type Params } from "./api";

let show: () => void = () => {};

export function start(render: () => void): void {
  show = render;
  addEventListener("popstate", render);
  document.addEventListener("click", (event) => {
    const link = (event.target as Element | null)?.closest?.("a[data-page]");
    if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}

export function go(address: string): void {
  if (address !== location.pathname + location.search) history.pushState(null, "", address);
  show();
}

/** Change the address without a new view: what Back leads to stays. */
export function note(address: string): void {
  history.replaceState(null, "", address);
}

export function here(): URLSearchParams { return new URLSearchParams(location.search); }

export function address(path: string, params: Params): string {
  const asked = query(params).toString();
  return path + (asked && `?${asked}`);
}

export function link(to: string, props: Props, ...children: Child[]): HTMLAnchorElement {
  return h("a", { href: to, "data-page": true, ...props }, ...children);
}
