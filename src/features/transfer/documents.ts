import { z } from 'zod';
import { NexusError } from '../../contract/errors.ts';
import { type ExportFormat, exportedDocument } from '../../contract/export.ts';
import type { Library } from '../../contract/libraries.ts';
import type { Media } from '../../contract/media.ts';
import type { Mode } from '../../contract/roles.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import type { RunByCost } from '../../platform/processes/by-cost.ts';
import { type Governance, recordDecision } from '../governance/governance.ts';
import { mergedHits, type PolicyHit } from '../governance/rules.ts';
import { charactersIn, costOfJudging } from '../governance/work.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import type { MediaLists } from '../media/lists/list.ts';
import type { UnjudgedDocument } from './exported-document.ts';
import * as store from './store.ts';
import type { exportWork } from './work.ts';

export interface DocumentsDependencies {
  sql: Database;
  mediaLists: Pick<MediaLists, 'page'>;
  governance: Pick<Governance, 'shown' | 'settle' | 'rules'>;
  run: RunByCost<typeof exportWork>;
}

const EXPORTED = exportedDocument.omit({ mine: true, highlights: true, texts: true, withheld: true });
const LISTED_AT_ONCE = 200;
/** The number of documents whose texts are read at once. Fewer when they are long. */
const READ_AT_ONCE = 25;
const WORDS_AT_ONCE = 50_000;
/** The most characters that one task gets. A longer document is a task of its own. */
const WRITTEN_AT_ONCE = 4_000_000;
/** The number of passes over a text that it takes: parsing, serialising. */
const PASSES = 4;

/** An export of a library, or of what a search query finds in it: for whom, in which mode. */
interface LibraryExport {
  viewer: Viewer;
  library: Library;
  q: string | undefined;
  mode: Mode;
  actor: Actor;
}

/**
 * Yields each document in a format. Access is checked again right before every few documents are sent. A document that has
 * nothing in this format, such as an upload among bookmarks, is left out.
 */
export async function* writtenDocuments(
  dependencies: DocumentsDependencies,
  exported: LibraryExport,
  format: ExportFormat,
): AsyncGenerator<WrittenDocument> {
  const { sql, governance, run } = dependencies;
  const { viewer, library, mode } = exported;
  for await (const group of groupsOf(dependencies, exported)) {
    const wanted = { mediaIds: group.map(({ id }) => id), withTexts: format === 'json' };
    const found = await store.listExported(sql, viewer, sharedIdOf(library), wanted);
    const rows = new Map(found.map((row) => [row.media_id, row]));
    const readable = group.flatMap((media) => {
      const row = rows.get(media.id);
      return row ? toUnjudged(media, row) : [];
    });
    const sizeOf = ({ highlights, texts }: UnjudgedDocument) => highlights.length + texts.length;
    for (const documents of grouped(readable, sizeOf, WRITTEN_AT_ONCE)) {
      const rules = await governance.rules(mode);
      const characters = charactersIn(documents);
      const cost = PASSES * characters + costOfJudging(rules, characters);
      const written = await run('export.documents', { documents, rules, format }, { cost });
      const judged = written.map(({ hits }, index) => ({ id: documents[index]?.document.id ?? '', hits }));
      await record(dependencies, exported, judged);
      for (const one of written) if (one.content) yield one as WrittenDocument;
    }
  }
}

/** A document in a format, and the facts that name its file. */
export interface WrittenDocument {
  content: Uint8Array;
  title: string | null;
  added_at: string;
}

/** Records one decision for a group. A blocked document is withheld and does not stop the export. */
async function record(
  { sql }: DocumentsDependencies,
  { mode, actor }: LibraryExport,
  judged: { id: string; hits: PolicyHit[] }[],
): Promise<void> {
  const found = judged.filter((document) => document.hits.length > 0);
  const hits = mergedHits(found.flatMap((document) => document.hits));
  const media_ids = found.map(({ id }) => id).join(' ');
  if (hits.length > 0)
    await recordDecision(sql, { mode, hits, actor, subject: { kind: 'export', media_ids } });
}

async function* groupsOf(dependencies: DocumentsDependencies, exported: LibraryExport) {
  const wordsOf = ({ word_count }: Media) => word_count ?? 0;
  for await (const page of pagesOf(dependencies, exported))
    yield* grouped(page, wordsOf, WORDS_AT_ONCE, READ_AT_ONCE);
}

/** Reads a whole library, oldest first. Throws when the caller is no longer a member: a part is not the whole. */
async function* pagesOf({ sql, mediaLists }: DocumentsDependencies, { viewer, library, q }: LibraryExport) {
  const library_id = sharedIdOf(library);
  let cursor: string | undefined;
  do {
    const query = { library_id, q, cursor, sort: 'added', order: 'asc', limit: LISTED_AT_ONCE } as const;
    const { data: rows, page } = await mediaLists.page(viewer, query);
    // Checked after the page was read: a page that is empty because access was lost must not count as the end.
    if (library_id && !(await store.isMember(sql, viewer.user_id, library_id))) throw revoked();
    yield rows;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  // While the last page was processed, media that were no longer readable were left out.
  if (library_id && !(await store.isMember(sql, viewer.user_id, library_id))) throw revoked();
}

/** Groups items, at most `most` of a total size of `maxSize`. A larger item is a group of its own. */
export function* grouped<T>(
  items: T[],
  sizeOf: (item: T) => number,
  maxSize: number,
  most = Number.POSITIVE_INFINITY,
): Generator<T[]> {
  let group: T[] = [];
  let size = 0;
  for (const item of items) {
    if (group.length === most || (group.length > 0 && size + sizeOf(item) > maxSize)) {
      yield group;
      group = [];
      size = 0;
    }
    group.push(item);
    size += sizeOf(item);
  }
  if (group.length > 0) yield group;
}

/** A default library is exported with everything that its owner can read. */
function sharedIdOf({ id, is_default }: Library): string | undefined {
  return is_default ? undefined : id;
}

function toUnjudged(media: Media, row: store.ExportRow): UnjudgedDocument {
  const { title, imported_title, highlights, texts } = row;
  return {
    document: z.encode(EXPORTED, { ...media, url: media.canonical_url ?? media.requested_url }),
    mine: { ...media.mine, title, imported_title },
    shown_title: media.mine.title,
    highlights,
    texts,
  };
}

function revoked(): NexusError {
  return new NexusError(
    'E_LIBRARY_NOT_FOUND',
    'You are no longer a member of this library, so the export was stopped.',
  );
}
