import type { ImportedHighlight } from '../../contract/import.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { idAt } from '../../platform/ids.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { emitHighlightEvents } from './events.ts';
import * as store from './import-store.ts';

/** The highlights that another program had of a media. */
export interface ImportedHighlights {
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
    if (former_exact !== null) known.add({ ...row, exact: former_exact });
  }
  const added: store.UnplacedHighlight[] = [];
  for (const { media_id, highlights } of wanted) {
    for (const one of highlights) {
      const highlight = toUnplaced(media_id, one);
      const quote = { media_id, exact: highlight.exact, created_at: dateOf(one.created_at) };
      if (known.has(quote, isPrecise(one))) continue;
      known.add(quote);
      added.push(highlight);
    }
  }
  if (added.length === 0) return 0;
  await store.insertUnplaced(tx, user_id, added);
  const subjects = added.map(({ id, media_id }) => ({ id, media_id, user_id }));
  await emitHighlightEvents(
    tx,
    'highlight.created',
    subjects,
    { library_ids: [], is_private: true },
    { requestId },
  );
  return added.length;
}

interface KnownQuote {
  media_id: string;
  exact: string;
  created_at: Date | undefined;
}

/**
 * The passages that a person has highlighted. White space does not count: programs write it differently, and a passage that
 * was placed has that of the text.
 */
class KnownQuotes {
  readonly #dates = new Map<string, Set<number | undefined>>();

  add({ created_at, ...quote }: KnownQuote): void {
    const key = keyOf(quote);
    const dates = this.#dates.get(key) ?? new Set();
    this.#dates.set(key, dates.add(created_at?.getTime()));
  }

  /** A precise highlight may be one of several of the same words; its date says which. Otherwise the words alone decide. */
  has({ created_at, ...quote }: KnownQuote, precise: boolean): boolean {
    const dates = this.#dates.get(keyOf(quote));
    return precise && created_at ? dates?.has(created_at.getTime()) === true : dates !== undefined;
  }
}

const keyOf = ({ media_id, exact }: Pick<KnownQuote, 'media_id' | 'exact'>) =>
  `${media_id} ${exact.replace(/\s+/g, '')}`;

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
