/** What `plait serve` answers, and how it is asked. The shapes are those of its OpenAPI description. */

export interface Sym { id: string; symbol: string; kind: string; path: string; start_line: number; end_line: number }
export type Evidence = "ambiguous" | "name" | "flowed" | "scoped" | "typed" | "exact";
export interface Edge {
  source: string; target: string; kind: string; via: string; evidence: Evidence; confidence: number; candidates: number;
  path: string; line: number;
}
export interface Reason { source: string; value: number; detail: string; edge?: Edge }
export interface Hit {
  rank: number; path: string; start_line: number; end_line: number; symbol: string; id: string; kind: string; score: number;
  reasons: Reason[]; text: string; repository: string; language: string; is_test: boolean; cell?: number; cell_line?: number;
}
export interface Site { source: string; expression: string; path: string; line: number; reason: string; detail: string }
export interface Repository {
  name: string; root: string; role: string; ready: boolean; state: string; files: number; symbols: number; languages: string[];
  progress: Progress | null; problem: string;
}
export interface Progress { stage: string; done: number; total: number }
export interface Service {
  version: string; writable: boolean; repositories: Repository[]; strategies: string[]; strategy: string; kinds: string[];
}
export interface Search { total: number; k: number; milliseconds: number; notices: string[]; strategy: string; hits: Hit[] }
export interface Step { hop: number; direction: string; reached: string; edge: Edge }
export interface Side { strategy: string; returned: number; scored: number; seeds: string[]; steps: Step[]; hits: Hit[] }
export interface Movement {
  id: string; symbol: Sym; a: number | null; b: number | null; relevant: boolean; gained: Reason[]; lost: Reason[];
  step: Step | null; text: string;
}
export interface Missing { id: string; symbol: string | Sym; cause: string; rank: number | null; above: string[]; text: string }
export interface Comparison {
  query: string; k: number; repository: string; a: Side; b: Side; movements: Movement[]; entered: string[]; left: string[];
  topic?: { id: string; text: string }; relevant?: Sym[]; missing_a?: Missing[]; missing_b?: Missing[];
}
export interface WhyNot {
  answer: string; rank: number | null; scored: number; text: string; reasons: Reason[]; score: number; symbol: Sym; k: number;
  strategy: string; above: { rank: number; score: number; symbol: Sym; reasons: Reason[] }[]; seeds: Sym[];
}
export interface Described {
  repository: string; symbol: Sym; language: string; module: string; signature: string; docstring: string; parent: Sym | null;
  is_test: boolean; text: string; contains: Sym[]; callers_total: number; callees_total: number; unresolved_total: number;
}
export interface FileText {
  path: string; language: string; lines: number; start_line: number; end_line: number; text: string; changed: boolean;
}
export interface GraphNode extends Sym {
  hop: number; callers: number; callees: number; unresolved: number; is_hub: boolean; is_folded: boolean; is_test: boolean;
}
export interface Neighbourhood {
  symbol: Sym; total: number; limit: number; nodes: GraphNode[]; edges: Edge[]; unresolved_total: number; unresolved: Site[];
}
export interface CallPath {
  source: Sym; target: Sym; answer: "known" | "possible" | "unknown" | "none"; steps: (Sym & { edge: Edge })[];
  searched: number; unresolved_total: number; unresolved: Site[];
}
export type Affected = Sym & { hop: number; relation: string; edge: Edge };
export interface Impact {
  changed_total: number; changed: Sym[]; total: number; affected: Affected[]; tests_total: number; tests: Affected[];
  unresolved_total: number; unresolved: Site[]; revision?: string; files?: unknown; deleted_total?: number; deleted?: Sym[];
}
export interface Flow { entry: Sym; reaches: number; is_hub: boolean; members: (Sym & { hop: number })[]; hubs_total: number; hubs: Sym[] }
export interface Flows { total: number; flows: Flow[]; unresolved_total: number }
export interface Unresolved { reasons: { reason: string; count: number }[]; total: number; unresolved: Site[] }
export interface Skip { path: string; reason: string; detail: string; count: number }
export interface Status {
  repository: string; root: string; indexed: string | boolean; fresh: boolean; changed: unknown; files_now: number;
  index: Record<string, any> | null; skipped: Record<string, number>; notices: string[]; skipped_total?: number;
  skipped_files?: Skip[]; recovered_files?: { path: string; problem: string; left_out: { start_line: number; end_line: number }[] }[];
  [key: string]: any;
}
export interface Collection { name: string; description: string; topics: number; repository: string; writable: boolean }
/** One strategy against the first, by one measure. */
export interface Compared {
  a: string; b: string; measure: string; mean_difference: number; interval: [number, number] | null; p: number;
  win: number; loss: number; tie: number;
}
export interface Evaluation {
  strategies: string[]; measures: Record<string, Record<string, { mean: number; topics: Record<string, number> }>>;
  comparisons: Compared[]; repository: string; short: Record<string, string>; topic_texts: Record<string, string>;
  graph: string; embedder: string;
}
export interface Judgements {
  writable: boolean; collections: string[]; collection?: string; repository?: string;
  topics?: { id: string; text: string; judged: { symbol: string; relevance: number }[] }[];
}

export class ApiError extends Error {
  constructor(
    readonly status: number, readonly code: string, message: string,
    /** Names that an unknown or ambiguous symbol could mean. */
    readonly choices: string[] = [],
    /** Seconds after which to ask again; 0 without such a hint. */
    readonly retry = 0,
  ) { super(message); }
}

type Param = string | number | boolean | null | undefined | readonly string[];
export type Params = Record<string, Param>;

export function query(params: Params): URLSearchParams {
  const made = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (Array.isArray(value)) for (const one of value) made.append(name, one);
    else if (value !== null && value !== undefined && value !== "") made.append(name, String(value));
  }
  return made;
}

let authorise: (() => Promise<void>) | null = null;
/** Say how the token is asked for when the server wants one. */
export function onUnauthorised(ask: () => Promise<void>): void { authorise = ask; }

export async function get<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  const asked = query(params).toString();
  return answered<T>(() => fetch(`/api/v1/${path}${asked && `?${asked}`}`, { signal, headers: { Accept: "application/json" } }));
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  return answered<T>(() => fetch(`/api/v1/${path}`, {
    method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json" }, body: JSON.stringify(body),
  }));
}

async function answered<T>(ask: () => Promise<Response>): Promise<T> {
  let reply: Response;
  try {
    reply = await ask();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "unreachable", "plait serve does not answer; is it still running?");
  }
  if (reply.status === 401 && authorise) {
    await authorise();
    reply = await ask();
  }
  if (reply.status === 204) return undefined as T;
  const body = await reply.json().catch(() => null);
  if (!reply.ok || body === null) {
    const told = body?.error ?? {};
    throw new ApiError(reply.status, told.code ?? "internal", told.message ?? `the server answered ${reply.status}`,
      told.choices ?? told.near ?? [], Number(reply.headers.get("Retry-After")) || 0);
  }
  return body as T;
}
