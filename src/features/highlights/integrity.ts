import type { Database } from '../../platform/database/database.ts';
import { type IntegrityCheck, inBatches } from '../../platform/integrity/check.ts';
import * as store from './integrity-store.ts';

/**
 * Checks that every placed highlight quotes the text at its place, and that its author is a member of every library that it
 * is shared with. A key of the database guarantees the latter; a hand-edited database may lack it.
 */
export function createHighlightCheck(sql: Database): IntegrityCheck {
  return {
    name: 'highlights',
    async run({ report, reportRows, progress }) {
      let checked = 0;
      let read: { id: string; text: string | undefined } | undefined;
      const next = (after: string | null, limit: number) => store.listPlaced(sql, after, limit);
      for await (const batch of inBatches(next, ({ id }) => id)) {
        for (const { id, media_id, fragment_id, start_offset, is_same, ...quote } of batch) {
          // Only texts with characters of two code units are read, one at a time.
          if (is_same === null && read?.id !== fragment_id) {
            read = { id: fragment_id, text: await store.readText(sql, fragment_id) };
          }
          const { prefix, exact, suffix } = quote;
          const isQuoted =
            is_same ?? read?.text?.startsWith(prefix + exact + suffix, start_offset - prefix.length);
          // A text that is gone was replaced in the meantime, and the highlight with it.
          if (isQuoted === false) {
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
