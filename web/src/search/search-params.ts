import type { MediaKind } from '../api/types.ts';
import { KINDS } from '../library/format.ts';
import { oneOf } from '../library/list-params.ts';

export interface SearchParams {
  q?: string;
  library?: string;
  kind?: MediaKind;
}

export function readSearchParams(search: Record<string, unknown>): SearchParams {
  const kind = oneOf(KINDS, search.kind);
  return {
    ...((typeof search.q === 'string' || typeof search.q === 'number') &&
      search.q !== '' && { q: String(search.q) }),
    ...(typeof search.library === 'string' && { library: search.library }),
    ...(kind && { kind }),
  };
}
