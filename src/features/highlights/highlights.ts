import { z } from 'zod';
import { NexusError } from '../../contract/errors.ts';
import { selectorsOf } from '../../contract/highlight-selectors.ts';
import type {
  Audience,
  CreateHighlight,
  EditHighlight,
  Highlight,
  HighlightsQuery,
  HighlightTarget,
  mediaHighlightsQuery,
  Visibility,
} from '../../contract/highlights.ts';
import { MAX_QUOTE } from '../../contract/limits.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cutByCursor, cutPage, decodeCursor, readCursor } from '../../platform/cursor.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { versionOf } from '../../platform/version-tag.ts';
import { mediaNotFound, requireReadable } from '../libraries/access/access.ts';
import { mayRead, type Viewer } from '../libraries/access/can-read-media.ts';
import { emitHighlightEvent } from './events.ts';
import { findSameQuote } from './find-quote.ts';
import { cutsCharacter, quoteAt, type Range } from './quote.ts';
import { FRAGMENT_BREAK, joinTexts, textOfRange } from './running-text.ts';
import * as store from './store.ts';

const MOST_NAMED = 200;
const PLACE_CURSOR = z.object({ fragment_idx: z.int32(), start_offset: z.int32(), id: z.uuid() });

export type Highlights = ReturnType<typeof createHighlights>;

export function createHighlights({ sql }: { sql: Database }) {
  async function requireHighlight(viewer: Viewer, id: string): Promise<Highlight> {
    return toHighlight(viewer, (await store.findHighlight(sql, viewer, id)) ?? highlightNotFound());
  }

  return {
    get: requireHighlight,

    /** Returns a highlight that the viewer has made on a media, if they may still read the media. */
    async getOwn(viewer: Viewer, mediaId: string, id: string): Promise<Highlight> {
      await requireReadable(sql, viewer, mediaId);
      return requireHighlight(viewer, id);
    },

    async create(viewer: Viewer, mediaId: string, given: CreateHighlight, actor: Actor): Promise<Highlight> {
      const id = newId();
      await transaction(
        sql,
        async (tx) => {
          const passage = await locate(tx, viewer, mediaId, given.target);
          const key = { id, media_id: mediaId, user_id: viewer.user_id };
          const { color, note, pdf = null } = given;
          await store.insertHighlight(tx, { ...key, ...passage, color, pdf, note: note || null });
          const libraryIds = await requireShareable(tx, viewer, mediaId, given.visibility);
          await store.insertShares(tx, key, libraryIds);
          const shared = { library_ids: libraryIds, is_private: libraryIds.length === 0 };
          await emitHighlightEvent(tx, 'highlight.created', key, { own: shared, actor });
        },
        actor,
      );
      return requireHighlight(viewer, id);
    },

    /** Lists what the viewer sees of a media, in the order of the text. */
    async ofMedia(viewer: Viewer, mediaId: string, query: z.output<typeof mediaHighlightsQuery>) {
      const { cursor, limit, fragment_idx: fragmentIdx } = query;
      const last = decodeCursor(cursor, PLACE_CURSOR);
      const rows = await store.listOfMedia(sql, viewer, mediaId, { fragmentIdx, last, limit: limit + 1 });
      if (rows.length === 0 || rows[0]?.media_title === null) await requireReadable(sql, viewer, mediaId);
      const placed = rows.map((row) => ({ row, cursor: cursorOf(row) }));
      const { data, page } = cutByCursor(placed, limit);
      return { data: data.map(({ row }) => toHighlight(viewer, row)), page };
    },

    /** Lists what the viewer sees of all media, newest first. */
    async list(viewer: Viewer, query: HighlightsQuery) {
      const before = readCursor(query.cursor);
      const rows = await store.listHighlights(sql, viewer, { ...query, before });
      const { data, page } = cutPage(rows, query.limit);
      return { data: data.map((row) => toHighlight(viewer, row)), page };
    },

    async edit(viewer: Viewer, id: string, given: EditHighlight, actor: Actor): Promise<Highlight> {
      await transaction(sql, async (tx) => {
        const before = requireOwn(viewer, await store.lockHighlight(tx, viewer, id));
        actor.requireVersion?.(highlightVersion(toHighlight(viewer, before)));
        if (given.target) {
          await store.placeHighlight(tx, id, await locate(tx, viewer, before.media_id, given.target));
        }
        // The rectangles belong to the old range.
        const pdf = given.pdf === undefined ? (given.target ? null : before.pdf) : given.pdf;
        const note = given.note === undefined ? before.note : given.note || null;
        await store.updateHighlight(tx, id, { pdf, color: given.color ?? before.color, note });
        const { added, removed } = await share(tx, viewer, before, given.visibility);
        const { visibility: _, ...others } = given;
        const isEdited = Object.values(others).some((value) => value !== undefined);
        if (isEdited || removed.length > 0) {
          const former = { former_library_ids: removed, is_private: isPrivate(before) };
          await emitHighlightEvent(tx, 'highlight.updated', before, { own: former, actor });
        }
        if (added.length > 0) {
          const shared = { library_ids: added, is_private: false };
          await emitHighlightEvent(tx, 'highlight.shared', before, { own: shared, actor });
        }
      });
      return requireHighlight(viewer, id);
    },

    async delete(viewer: Viewer, id: string, actor: Actor): Promise<void> {
      await transaction(sql, async (tx) => {
        const highlight = requireOwn(viewer, await store.lockHighlight(tx, viewer, id));
        await store.deleteHighlight(tx, id);
        const former = { former_library_ids: highlight.library_ids, is_private: isPrivate(highlight) };
        await emitHighlightEvent(tx, 'highlight.deleted', highlight, { own: former, actor });
      });
    },

    /** Names the people who see a highlight besides its author, or who would if it were shared with these libraries. */
    async audience(viewer: Viewer, id: string, libraryIds: string[] | undefined): Promise<Audience> {
      const highlight = (await store.findHighlight(sql, viewer, id)) ?? highlightNotFound();
      if (libraryIds === undefined) {
        return store.listAudience(sql, highlight.user_id, highlight.library_ids, MOST_NAMED);
      }
      requireOwn(viewer, highlight);
      const visibility = { library_ids: libraryIds };
      const asked = await requireShareable(sql, viewer, highlight.media_id, visibility);
      return store.listAudience(sql, viewer.user_id, asked, MOST_NAMED);
    },

    async markSeen(viewer: Viewer, id: string): Promise<void> {
      await requireHighlight(viewer, id);
      await store.markSeen(sql, viewer, id);
    },
  };

  /** Finds the range that a target names, in a media that the viewer may read. */
  async function locate(tx: Transaction, viewer: Viewer, mediaId: string, target: HighlightTarget) {
    const { fragment_idx } = target;
    const fragment = await store.holdFragment(tx, viewer, mediaId, fragment_idx);
    if (!fragment) {
      if (!(await mayRead(tx, viewer, mediaId))) mediaNotFound();
      throw invalidRange(`This media has no fragment ${fragment_idx}.`);
    }
    // The fragments of a media are replaced together, so the first one holds the others.
    const fragments = goesOn(fragment.canonical_text, target)
      ? [fragment, ...(await store.listFollowing(tx, mediaId, fragment_idx, MAX_QUOTE))]
      : [fragment];
    const range = rangeOf(fragments, target);
    const text = textOfRange(fragments, range) ?? fragment.canonical_text;
    return { fragment_id: fragment.id, fragment_idx, ...range, ...quoteAt(text, range) };
  }

  async function share(
    tx: Transaction,
    viewer: Viewer,
    highlight: store.HighlightRow,
    visibility: Visibility | undefined,
  ) {
    if (visibility === undefined) return { added: [], removed: [] };
    const before = new Set(highlight.library_ids);
    const wanted = new Set(visibility === 'private' ? [] : visibility.library_ids);
    const added = [...wanted].filter((id) => !before.has(id));
    const removed = [...before].filter((id) => !wanted.has(id));
    await store.deleteOtherShares(tx, highlight.id, [...wanted]);
    await requireShareable(tx, viewer, highlight.media_id, { library_ids: added });
    await store.insertShares(tx, highlight, added);
    return { added, removed };
  }
}

/** Returns the libraries to share with. Throws 404 for those that the viewer is not in or that do not contain the media. */
async function requireShareable(
  tx: Database | Transaction,
  viewer: Viewer,
  mediaId: string,
  visibility: Visibility,
): Promise<string[]> {
  if (visibility === 'private') return [];
  const wanted = [...new Set(visibility.library_ids)];
  const shareable = await store.listShareable(tx, viewer, mediaId, wanted);
  if (shareable.length === wanted.length) return wanted;
  throw new NexusError(
    'E_LIBRARY_NOT_FOUND',
    'A highlight can be shared with libraries that contain the item and of which you are a member.',
  );
}

const positionIn = ({ selector }: HighlightTarget) =>
  selector.find((one) => one.type === 'TextPositionSelector');
const quoteIn = ({ selector }: HighlightTarget) => selector.find((one) => one.type === 'TextQuoteSelector');

/** Whether a passage may go on in the fragment after the one in which it begins. */
function goesOn(text: string, target: HighlightTarget): boolean {
  const exact = quoteIn(target)?.exact;
  if (exact?.includes(FRAGMENT_BREAK) && !text.includes(exact)) return true;
  return exact === undefined && (positionIn(target)?.end ?? 0) > text.length;
}

/** Finds the range that the selectors name in the text of fragments that follow each other. It begins in the first one. */
function rangeOf(fragments: { canonical_text: string }[], target: HighlightTarget): Range {
  const { fragment_idx } = target;
  const text = joinTexts(fragments);
  const [position, quote] = [positionIn(target), quoteIn(target)];
  const range = position && { start: position.start, end: position.end };
  if (range && (!quote || text.slice(range.start, range.end) === quote.exact)) {
    return checked(fragments, range);
  }
  if (!quote) throw invalidRange('The target has no position and no quote.');
  const lost = { ...quote, start: range?.start ?? 0, end: range?.end ?? 0, fragment_idx };
  const found =
    onlyOccurrence(text, quote.exact) ?? findSameQuote(lost, [{ idx: fragment_idx, canonical_text: text }]);
  if (!found) throw invalidRange('The quote is not in the text, or not only once. Give more of its context.');
  return checked(fragments, { start: found.start, end: found.end });
}

/** Returns where the words are, if they occur once. */
function onlyOccurrence(text: string, exact: string): Range | undefined {
  const start = text.indexOf(exact);
  const isOnly = start >= 0 && text.indexOf(exact, start + 1) < 0;
  return isOnly ? { start, end: start + exact.length } : undefined;
}

function checked(fragments: { canonical_text: string }[], range: Range): Range {
  const { start, end } = range;
  const first = fragments[0]?.canonical_text ?? '';
  const text = textOfRange(fragments, range);
  if (start >= end || start >= first.length || text === undefined) {
    throw invalidRange(
      `A range must begin before it ends, within the ${first.length} characters of the fragment, and end within this ` +
        'fragment or one after it.',
    );
  }
  if (end - start > MAX_QUOTE) throw invalidRange(`A highlight has at most ${MAX_QUOTE} characters.`);
  if (cutsCharacter(text, range)) throw invalidRange('The range begins or ends within a character.');
  if (text.slice(start, end).trim() === '') throw invalidRange('There is no text in this range.');
  return range;
}

function invalidRange(message: string): NexusError {
  return new NexusError('E_INVALID_RANGE', message);
}

function requireOwn(viewer: Viewer, found: store.HighlightRow | undefined): store.HighlightRow {
  const highlight = found ?? highlightNotFound();
  if (highlight.user_id === viewer.user_id) return highlight;
  throw new NexusError('E_FORBIDDEN', 'Only its author can do this with a highlight.');
}

function isPrivate({ library_ids }: Pick<store.HighlightRow, 'library_ids'>): boolean {
  return library_ids.length === 0;
}

export function highlightNotFound(): never {
  throw new NexusError('E_HIGHLIGHT_NOT_FOUND', 'This highlight is gone, or you no longer have access.');
}

function cursorOf({ fragment_idx, start_offset, id }: store.HighlightRow): store.PlaceCursor {
  return { fragment_idx, start_offset, id };
}

function toHighlight(viewer: Viewer, row: store.HighlightRow): Highlight {
  const { user_id, fragment_idx, start_offset, end_offset, exact, prefix, suffix, library_ids, ...rest } =
    row;
  return {
    ...rest,
    target: {
      fragment_idx,
      selector: [
        { type: 'TextPositionSelector', start: start_offset, end: end_offset },
        { type: 'TextQuoteSelector', exact, prefix, suffix },
      ],
    },
    is_placed: row.fragment_id !== null,
    is_mine: user_id === viewer.user_id,
    visibility: library_ids.length === 0 ? 'private' : { library_ids },
  };
}

/** Names the state of a highlight that its author changes. */
export function highlightVersion(highlight: Highlight): string {
  const { target, color, note, visibility } = highlight;
  const { start, end } = selectorsOf(highlight).position;
  return versionOf(target.fragment_idx, start, end, color, note, visibility);
}
