import { inSpan, recordingSpan, type Span, SpanKind } from '../telemetry/tracing.ts';

/** A job may run a million statements. The first ones of a span show what it does; the others are only counted. */
const MOST_PER_SPAN = 500;
/** Some texts depend on what is asked for. */
const MOST_SUMMARIES = 2000;
const LONGEST_SUMMARY = 255;

const counts = new WeakMap<Span, number>();
const summaries = new Map<string, string>();

/** Runs a statement in a span, if it belongs to one. */
export function inStatementSpan<T>(text: string, run: () => Promise<T>): Promise<T> {
  const parent = recordingSpan();
  if (!parent) return run();
  const count = (counts.get(parent) ?? 0) + 1;
  counts.set(parent, count);
  if (count > MOST_PER_SPAN) {
    parent.setAttribute('nexus.statements.omitted', count - MOST_PER_SPAN);
    return run();
  }
  const summary = summaryOf(text);
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': summary };
  return inSpan({ name: summary, kind: SpanKind.CLIENT, attributes }, async (span) => {
    try {
      return await run();
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (typeof code === 'string') span.setAttribute('db.response.status_code', code);
      throw error;
    }
  });
}

export function summaryOf(text: string): string {
  const known = summaries.get(text);
  if (known !== undefined) return known;
  if (summaries.size === MOST_SUMMARIES) summaries.clear();
  const summary = summarise(text);
  summaries.set(text, summary);
  return summary;
}

/** Comments and quoted text, which may contain any word; and the `from` that is no clause. */
const NOT_A_CLAUSE =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\bextract\s*\(\s*\w+\s+from\b|\bdistinct\s+from\b/gi;
const NAME = '"?([a-z_][a-z0-9_]*)\\b"?';
const TARGET = new RegExp(
  `\\b(insert\\s+into|delete\\s+from|update|from|join|using)\\s+${NAME}(\\s*\\()?`,
  'gi',
);
const WITH_QUERY = new RegExp(
  `(?:\\bwith\\s+(?:recursive\\s+)?|,\\s*)${NAME}(?:\\s*\\([^()]*\\))?\\s+as\\s+(?:(?:not\\s+)?materialized\\s+)?\\(`,
  'gi',
);
/** Words that follow `update` and `from` in other clauses: `for update of`, `do update set`, `from lateral`. */
const NOT_A_TABLE = new Set(['lateral', 'nowait', 'of', 'only', 'rows', 'select', 'set', 'skip']);

/**
 * Summarises a statement as the conventions want it: its operations and tables in their order, without values.
 *
 *     with drafts as (…) insert into jobs … select … from drafts   →   insert jobs
 */
function summarise(text: string): string {
  const sql = text.replace(NOT_A_CLAUSE, ' ');
  const queries = new Set([...sql.matchAll(WITH_QUERY)].map(([, name = '']) => name.toLowerCase()));
  const found = new Set<string>();
  for (const [, verb = '', name = '', parenthesis] of sql.matchAll(TARGET)) {
    const table = name.toLowerCase();
    const operation = OPERATIONS.find((known) => verb.toLowerCase().startsWith(known)) ?? 'select';
    const isFunction = parenthesis !== undefined && operation !== 'insert';
    if (!isFunction && !queries.has(table) && !NOT_A_TABLE.has(table)) found.add(`${operation} ${table}`);
  }
  const first = /[a-z]+/i.exec(sql)?.[0].toLowerCase() ?? 'statement';
  if (found.size === 0) return first === 'with' ? 'select' : first;
  return inOneLine([...found]);
}

/** Joins operations and tables; an operation is not repeated for the next table. Whole words only. */
function inOneLine(targets: string[]): string {
  let [summary, last] = ['', ''];
  for (const target of targets) {
    const [operation = '', table = ''] = target.split(' ');
    const next = `${summary} ${operation === last ? table : target}`.trimStart();
    if (next.length > LONGEST_SUMMARY) break;
    [summary, last] = [next, operation];
  }
  return summary;
}

const OPERATIONS = ['insert', 'delete', 'update'];
