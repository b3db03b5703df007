import { createHash } from 'node:crypto';
import type { Database } from '../../platform/database/database.ts';
import { type AuditRun, type IntegrityCheck, inBatches } from '../../platform/integrity/check.ts';
import { splitOnTimeout, withLongTimeout } from '../../platform/integrity/statement-timeout.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import type { Extractors } from './extractors/extractors.ts';
import { orphanedFiles } from './files/sweeps.ts';
import * as store from './integrity-store.ts';
import { buildSearchRows } from './search/search-rows.ts';

/** Checks that the text of every fragment follows from its HTML, and the text of every media from its fragments. */
export function createTextCheck(
  sql: Database,
  extractors: Pick<Extractors, 'canonicalTexts'>,
): IntegrityCheck {
  async function compareFragments(fragments: store.StoredFragment[], run: AuditRun): Promise<void> {
    const html = fragments.map(({ html_sanitized }) => html_sanitized);
    const texts = await extractors.canonicalTexts({ html, signal: run.signal });
    const wrong = fragments.flatMap((fragment, index) => {
      const text = texts[index] ?? '';
      return text === fragment.canonical_text ? [] : [{ fragment, text }];
    });
    const findings = wrong.map(({ fragment: { id, media_id, idx } }) => ({ media_id, fragment_id: id, idx }));
    await run.report('fragment_text_differs', findings);
    for (const { fragment, text } of run.repair ? wrong : []) {
      await store.rewriteCanonicalText(sql, fragment, text);
    }
  }

  return {
    name: 'texts',
    async run(run) {
      const batches = inBatches(store.nextFragments(sql), (fragment) => fragment);
      await checkBatches(run, batches, (fragments) => compareFragments(fragments, run));
      for await (const ids of mediaInBatches(sql)) {
        run.signal.throwIfAborted();
        const counts = await splitOnTimeout(sql, ids, (queryable, part) =>
          run.reportRows(store.textDifferences(queryable, part), queryable),
        );
        const isWrong = counts.some((count) => count > 0);
        if (isWrong && run.repair) await withLongTimeout(sql, (tx) => store.rewritePlainTexts(tx, ids));
      }
    },
  };
}

/** Builds the search rows of a ready media again, and deletes those of any other. */
export async function rebuildSearchRows(sql: Database, mediaId: string): Promise<void> {
  await withLongTimeout(sql, async (tx) => {
    if (await store.lockReady(tx, mediaId)) await buildSearchRows(tx, mediaId);
    else await store.deleteSearchRows(tx, mediaId);
  });
}

/** Checks that the search rows are those that building them now would give. */
export function createSearchCheck(sql: Database): IntegrityCheck {
  return {
    name: 'search rows',
    async run(run) {
      await checkBatches(run, mediaInBatches(sql), async (ids) => {
        const concerned = new Set<string>();
        await splitOnTimeout(sql, ids, async (queryable, part) => {
          const differences = () => store.searchDifferences(queryable, part);
          const wrong = run.repair ? await store.concernedMedia(queryable, differences()) : [];
          for (const mediaId of wrong) concerned.add(mediaId);
          return run.reportRows(differences(), queryable);
        });
        for (const mediaId of concerned) await rebuildSearchRows(sql, mediaId);
      });
    },
  };
}

/** Batches of media whose texts have a few megabytes together. */
export function mediaInBatches(sql: Database): AsyncGenerator<string[]> {
  return inBatches(store.nextMedia(sql), (id) => id);
}

/** Calls `look` with each batch, and publishes how many items were checked. Returns that number. */
export async function checkBatches<Item>(
  run: AuditRun,
  batches: AsyncIterable<Item[]>,
  look: (batch: Item[]) => Promise<void>,
  checkedBefore = 0,
): Promise<number> {
  let checked = checkedBefore;
  for await (const batch of batches) {
    run.signal.throwIfAborted();
    await look(batch);
    checked += batch.length;
    await run.progress(checked);
  }
  return checked;
}

/**
 * Checks that every file exists with its hash, and that every file is referred to; the daily sweep deletes others.
 * Files are originals and cannot be repaired, except for a missing image, which is fetched again when it is next shown.
 */
export function createFileCheck(sql: Database, storage: Storage): IntegrityCheck {
  /** Returns undefined when the file does not exist. */
  async function hashOf(path: string, signal: AbortSignal) {
    const stored = await storage.get(path);
    if (!stored) return undefined;
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of stored.content as AsyncIterable<Buffer>) {
      signal.throwIfAborted();
      hash.update(chunk);
      size += chunk.length;
    }
    return { size, sha256: hash.digest('hex') };
  }

  return {
    name: 'files',
    async run(run) {
      const { report, signal } = run;
      let checked = 0;
      const checkEach = async <Row>(batches: AsyncIterable<Row[]>, look: (row: Row) => Promise<void>) => {
        const lookAtAll = async (rows: Row[]) => {
          for (const row of rows) {
            signal.throwIfAborted();
            await look(row);
          }
        };
        checked = await checkBatches(run, batches, lookAtAll, checked);
      };
      const originals = inBatches(store.nextMediaFiles(sql), ({ id }) => id);
      await checkEach(originals, async ({ id: media_id, path, size, sha256 }) => {
        const found = await hashOf(path, signal);
        if (found && (size ?? found.size) === found.size && (sha256 ?? found.sha256) === found.sha256) return;
        // It may have been deleted with its media in the meantime.
        if (!(await store.namesFile(sql, media_id, path))) return;
        if (!found) await report('file_missing', [{ media_id, path }]);
        else await report('file_altered', [{ media_id, path, ...found }]);
      });
      const assets = inBatches(store.nextAssets(sql), (asset) => asset);
      await checkEach(assets, async ({ path, ...asset }) => {
        if (!(await storage.head(path))) await report('asset_missing', [{ ...asset, path }]);
      });
      const images = inBatches(store.nextImages(sql), ({ url_sha256 }) => url_sha256);
      await checkEach(images, async ({ url_sha256, path, sha256 }) => {
        const found = await hashOf(path, signal);
        if (found?.sha256 === sha256) return;
        await report(found ? 'image_altered' : 'image_missing', [{ url_sha256, path }]);
        if (!found && run.repair) await store.forgetImage(sql, url_sha256);
      });
      for await (const { path } of orphanedFiles({ sql, storage })) {
        signal.throwIfAborted();
        await report('file_without_owner', [{ path }]);
      }
    },
  };
}
