import type { ImportedDetails } from '../../contract/import.ts';
import { MAX_NOTE } from '../../contract/limits.ts';

/** Unites what is known of the same media from several entries. The first entry decides where only one value is kept. */
export function mergeDetails(first: ImportedDetails, second: ImportedDetails): ImportedDetails {
  return {
    ...second,
    ...defined(first),
    tags: [...(first.tags ?? []), ...(second.tags ?? [])],
    is_favourite: first.is_favourite || second.is_favourite,
    is_archived: first.is_archived || second.is_archived,
    note: mergeNotes(first.note, second.note),
    highlights: [...first.highlights, ...second.highlights],
  };
}

function mergeNotes(first: string | undefined, second: string | undefined): string | undefined {
  if (first === undefined || second === undefined || first.includes(second)) return first ?? second;
  const both = `${first}\n\n${second}`;
  return both.length > MAX_NOTE ? first : both;
}

function defined(details: ImportedDetails): Partial<ImportedDetails> {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}
