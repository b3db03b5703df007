import type { Database } from '../../platform/database/database.ts';
import { type IntegrityCheck, inBatches } from '../../platform/integrity/check.ts';
import * as store from './integrity-store.ts';
import { textOfRange } from './running-text.ts';

/**
 * Checks that every placed highlight quotes the text at its place, and that its author is a member of every library that it
 * is shared with. A key of the database guarantees the latter; a hand-edited database may lack it.
 */
export function createHighlightCheck(sql: Database): IntegrityCheck {
  return {
    name: 'highlights',
    async run({ report, reportRows, progress }) {
      let checked = 0;
      let read: { id: string; end: number; fragments: { canonical_text: string }[] } | undefined;
      const next = (after: string | null, limit: number) => store.listPlaced(sql, after, limit);
      for await (const batch of inBatches(next, ({ id }) => id)) {
        for (const { id, media_id, fragment_id, start_offset: start, end_offset: end, ...quoted } of batch) {
          const { prefix, exact, suffix, is_same } = quoted;
          // Only texts that PostgreSQL cannot compare are read, one at a time.
          if (is_same === null && (read?.id !== fragment_id || read.end < end)) {
            const fragments = await store.listTexts(sql, fragment_id, end);
            read = {
              id: fragment_id,
              end: Math.max(end, fragments[0]?.canonical_text.length ?? 0),
              fragments,
            };
          }
          const isGone = is_same === null && read?.fragments.length === 0;
          const text = is_same === null && read ? textOfRange(read.fragments, { start, end }) : undefined;
          const isQuoted =
            is_same ??
            (isGone ||
              (end - start === exact.length &&
                text?.startsWith(prefix + exact + suffix, start - prefix.length)));
          // A text that is gone was replaced in the meantime, and the highlight with it.
          if (isQuoted !== true) {
            await report('highlight_quote_differs', [{ highlight_id: id, media_id }]);
          }
        }
        checked += batch.length;
        await progress(checked);
      }
      await reportRows(store.strayShares(sql));
    },
  };
}
