import { MAX_POSITION } from '../../../../src/contract/limits.ts';
import {
  type Entry,
  type EntryHighlight,
  highlightOf,
  momentOf,
  parseDate,
  textOf,
  textsOf,
} from './entry.ts';
import { type Fields, fieldsIn, isFields } from './fields.ts';

/** Reads a document of an export of Nexus. Exports of earlier releases have no `mine` and no highlights. */
export function nexusEntry(document: Fields): Entry {
  const { added_at, title, processing_status, reading } = document;
  const mine = isFields(document.mine) ? document.mine : {};
  const isRead = processing_status !== 'pending' && processing_status !== 'failed';
  return {
    url: addressOf(document),
    savedAt: parseDate(added_at),
    title: textOf(mine.imported_title) || (isRead ? textOf(title) : ''),
    own_title: textOf(mine.title),
    tags: textsOf(mine.tags),
    is_favourite: mine.is_favourite === true,
    is_archived: mine.is_archived === true,
    note: textOf(mine.note),
    reading: isFields(reading) ? readingIn(reading) : undefined,
    highlights: fieldsIn(document.highlights).flatMap(highlightIn),
  };
}

/**
 * Returns the address as it was typed, if it differs from that of the document only in its fragment or spelling. Another one,
 * such as a short link, would first have to be fetched to find the same document.
 */
function addressOf({ url, requested_url }: Fields): string {
  const [known, typed] = [textOf(url), textOf(requested_url)];
  if (!URL.canParse(typed)) return known;
  const page = new URL(typed);
  page.hash = '';
  return page.href === known ? typed : known;
}

/** A file may have been edited by hand: what the server would refuse is left out. */
function readingIn({ progress, finished_at, updated_at, position }: Fields): Entry['reading'] {
  if (typeof progress !== 'number' || !(progress >= 0 && progress <= 1)) return undefined;
  const json = JSON.stringify(position) ?? '';
  const isStorable = json.length <= MAX_POSITION && !/\\u(0000|d[89a-f])/i.test(json);
  return {
    progress,
    finished_at: momentOf(finished_at) ?? null,
    updated_at: momentOf(updated_at),
    ...(isStorable && position != null && { position }),
  };
}

const isOffset = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 2_147_483_647;

function highlightIn({ target, pdf, color, note, created_at, updated_at }: Fields): EntryHighlight[] {
  const { fragment_idx, selector } = isFields(target) ? target : {};
  const selectors = fieldsIn(selector);
  const { exact, prefix, suffix } = selectors.find(({ type }) => type === 'TextQuoteSelector') ?? {};
  const { start, end } = selectors.find(({ type }) => type === 'TextPositionSelector') ?? {};
  const found = highlightOf(exact, { note, color, created: created_at, prefix, suffix });
  const [quote] = found?.target.selector ?? [];
  if (!found || quote?.type !== 'TextQuoteSelector' || typeof exact !== 'string') return [];
  const isRange = isOffset(start) && isOffset(end) && start < end;
  const position = { type: 'TextPositionSelector' as const, start: Number(start), end: Number(end) };
  return [
    {
      ...found,
      target: {
        fragment_idx: isOffset(fragment_idx) ? fragment_idx : 0,
        // The passage is the text at its position, with the white space at its ends.
        selector: [...(isRange ? [position] : []), { ...quote, exact }],
      },
      updated_at: momentOf(updated_at),
      ...(isArea(pdf) && { pdf }),
    },
  ];
}

function isArea(pdf: unknown): pdf is NonNullable<EntryHighlight['pdf']> {
  if (!isFields(pdf) || Object.keys(pdf).length !== 2) return false;
  const { page, rects } = pdf;
  const isRect = (rect: unknown) =>
    Array.isArray(rect) &&
    rect.length === 4 &&
    rect.every((one) => typeof one === 'number' && Math.abs(one) <= 100_000);
  return isOffset(page) && page > 0 && Array.isArray(rects) && rects.length <= 500 && rects.every(isRect);
}
