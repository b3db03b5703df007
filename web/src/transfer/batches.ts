import { splitDetails } from './details.ts';
import type { Details } from './formats/entry.ts';

/** The limits of a job and of a request. Characters have up to three bytes. */
const MAX_LINKS = 10_000;
const MAX_CHARACTERS = 7_000_000;
/** The most characters of the highlights that one entry has. */
const MAX_HIGHLIGHTS = 2_000_000;

/** A link, when it was saved, in milliseconds since 1970 (0 when unknown), and what else is known about it. */
export interface ImportedLink {
  url: string;
  savedAt: number;
  details: Details | null;
}

export function payloadOf(batch: readonly ImportedLink[]) {
  const hasDetails = batch.some(({ details }) => details !== null);
  return {
    urls: batch.map(({ url }) => url),
    saved_at: batch.map(({ savedAt }) => (savedAt > 0 ? new Date(savedAt).toISOString() : null)),
    ...(hasDetails && { details: batch.map(({ details }) => details) }),
  };
}

/** Groups links into batches that a job takes. A link with very many highlights comes several times. */
export function* batchesOf(links: readonly ImportedLink[]): Generator<ImportedLink[]> {
  let batch: ImportedLink[] = [];
  let size = 0;
  for (const link of links.flatMap(parts)) {
    const length = link.url.length + (link.details ? JSON.stringify(link.details).length : 0);
    if (batch.length === MAX_LINKS || (batch.length > 0 && size + length > MAX_CHARACTERS)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(link);
    size += length;
  }
  if (batch.length > 0) yield batch;
}

function parts(link: ImportedLink): ImportedLink[] {
  return [...splitDetails(link.details, MAX_HIGHLIGHTS)].map((details) => ({ ...link, details }));
}
