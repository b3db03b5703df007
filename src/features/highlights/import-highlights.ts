import type { ImportedHighlight } from '../../contract/import.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { idAt } from '../../platform/ids.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { emitHighlightEvents } from './events.ts';
import * as store from './import-store.ts';
import type { Quote } from './quote.ts';

/** The highlights that another program had of a media. */
interface ImportedHighlights {
  media_id: string;
  highlights: ImportedHighlight[];
}

/**
 * Adds the highlights of another program, private, except those that the person has already. They are not placed: the text
 * may not be there yet. The events let the job `place_highlights` look for them; if the text comes later, `media.ready` does.
 * Returns how many were added.
 */
export async function importHighlights(
  tx: Transaction,
  viewer: Viewer,
  given: ImportedHighlights[],
  { requestId }: Pick<Actor, 'requestId'>,
): Promise<number> {
  const wanted = given.filter(({ highlights }) => highlights.length > 0);
  if (wanted.length === 0) return 0;
  const { user_id } = viewer;
  await store.lockImports(tx, user_id);
  const known = new KnownQuotes();
  const mediaIds = wanted.map(({ media_id }) => media_id);
  for (const { former_exact, ...row } of await store.listOwnQuotes(tx, user_id, mediaIds)) {
    known.add(row);
    if (former_exact !== null) known.add({ ...row, exact: former_exact, prefix: '', suffix: '' });
  }
  const added: store.UnplacedHighlight[] = [];
  for (const { media_id, highlights } of wanted) {
    for (const one of highlights) {
      const highlight = toUnplaced(media_id, one);
      const quote = { ...highlight, created_at: dateOf(one.created_at) };
      if (known.has(quote, isPrecise(one))) continue;
      known.add(quote);
      added.push(highlight);
    }
  }
  if (added.length === 0) return 0;
  await store.insertUnplaced(tx, user_id, added);
  const subjects = added.map(({ id, media_id }) => ({ id, media_id, user_id }));
  const own = { library_ids: [], is_private: true };
  await emitHighlightEvents(tx, 'highlight.created', subjects, { own, actor: { requestId } });
  return added.length;
}

interface KnownQuote extends Quote {
  media_id: string;
  created_at: Date | undefined;
}

/** So much of the text before a passage, or after it, tells it from the same words elsewhere. */
const CONTEXT_CHARACTERS = 16;

/**
 * The passages that a person has highlighted. White space does not count: programs write it differently, and a passage that
 * was placed has that of the text.
 */
class KnownQuotes {
  readonly #dates = new Map<string, Set<number | undefined>>();
  readonly #contexts = new Set<string>();
  readonly #withoutContext = new Set<string>();

  add(quote: KnownQuote): void {
    const words = wordsOf(quote);
    const dates = this.#dates.get(words) ?? new Set();
    this.#dates.set(words, dates.add(quote.created_at?.getTime()));
    const contexts = contextsOf(quote);
    for (const context of contexts) this.#contexts.add(context);
    if (contexts.length === 0) this.#withoutContext.add(words);
  }

  /**
   * A precise highlight may be one of several of the same words; its date says which. Of others the words decide, unless
   * the text before them and the text after them are both different: programs disagree about one of them often.
   */
  has(quote: KnownQuote, precise: boolean): boolean {
    const words = wordsOf(quote);
    const dates = this.#dates.get(words);
    if (!dates) return false;
    if (precise && quote.created_at) return dates.has(quote.created_at.getTime());
    const contexts = contextsOf(quote);
    return (
      contexts.length === 0 ||
      this.#withoutContext.has(words) ||
      contexts.some((context) => this.#contexts.has(context))
    );
  }
}

const withoutSpace = (text: string) => text.replace(/\s+/g, '');

const wordsOf = ({ media_id, exact }: KnownQuote) => `${media_id} ${withoutSpace(exact)}`;

/** The words with the text before them, and with the text after them, as far as there is any. */
function contextsOf(quote: KnownQuote): string[] {
  const before = withoutSpace(quote.prefix).slice(-CONTEXT_CHARACTERS);
  const after = withoutSpace(quote.suffix).slice(0, CONTEXT_CHARACTERS);
  const words = wordsOf(quote);
  return [...(before ? [`before ${before} ${words}`] : []), ...(after ? [`after ${after} ${words}`] : [])];
}

/** Whether it names its position, as an export of Nexus does. */
function isPrecise({ target }: ImportedHighlight): boolean {
  return target.selector.some(({ type }) => type === 'TextPositionSelector');
}

const dateOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

function toUnplaced(mediaId: string, given: ImportedHighlight): store.UnplacedHighlight {
  const { target, pdf = null, color, note = null, created_at, updated_at } = given;
  const quote = target.selector.find((one) => one.type === 'TextQuoteSelector');
  const position = target.selector.find((one) => one.type === 'TextPositionSelector');
  if (!quote) throw new Error('An imported highlight has a quote.');
  const isRange = position && position.start < position.end;
  return {
    // Lists of highlights are in the order of their ids.
    id: idAt(dateOf(created_at)),
    media_id: mediaId,
    fragment_idx: target.fragment_idx,
    start: isRange ? position.start : 0,
    end: isRange ? position.end : quote.exact.length,
    exact: quote.exact,
    prefix: quote.prefix,
    suffix: quote.suffix,
    pdf,
    color,
    note,
    created_at: created_at ?? null,
    updated_at: updated_at ?? null,
  };
}
