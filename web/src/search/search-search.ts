import type { MediaKind } from '../api/types.ts';
import { KINDS } from '../library/kinds.ts';
import { oneOf } from '../library/list-search.ts';

/** What is searched for, as it stands in the address. */
export interface SearchSearch {
  q?: string;
  library?: string;
  kind?: MediaKind;
}

export function readSearchSearch(search: Record<string, unknown>): SearchSearch {
  const kind = oneOf(KINDS, search.kind);
  return {
    ...((typeof search.q === 'string' || typeof search.q === 'number') &&
      search.q !== '' && { q: String(search.q) }),
    ...(typeof search.library === 'string' && { library: search.library }),
    ...(kind && { kind }),
  };
}
