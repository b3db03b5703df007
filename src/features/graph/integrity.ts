import type { Database } from '../../platform/database/database.ts';
import type { AuditRun, IntegrityCheck } from '../../platform/integrity/check.ts';
import { mediaInBatches } from '../media/integrity.ts';
import type { Graph } from './graph.ts';
import { PROJECTOR, type Projection, type Projector } from './projector.ts';
import * as store from './store.ts';

/** Every readable document is in the graph with what reading it now would find, and no other is. */
export function createGraphCheck({
  sql,
  graph,
  projector,
}: {
  sql: Database;
  graph: Pick<Graph, 'keep'>;
  projector: Pick<Projector, 'project'>;
}): IntegrityCheck {
  async function compare(ids: string[], run: AuditRun): Promise<void> {
    const stored = new Map((await store.listProjections(sql, ids)).map((one) => [one.media_id, one]));
    const isSettled = await store.listSettled(sql, ids);
    const sources = await store.listSources(sql, ids);
    const expected = await projector.project(sources, run.signal);
    const wrong: store.Projected[] = [];
    const missing: store.Projected[] = [];
    for (const [index, { media_id }] of sources.entries()) {
      const projected = { media_id, ...(expected[index] as Projection) };
      const found = stored.get(media_id);
      // What has just become readable comes into the graph by itself.
      if (!found && isSettled.has(media_id)) missing.push(projected);
      if (found && (found.projector !== PROJECTOR || sorted(found) !== sorted(projected)))
        wrong.push(projected);
    }
    await tell(run, 'graph_missing', missing);
    await tell(run, 'graph_differs', wrong);
    const unjustified = await run.reportRows(store.unjustifiedProjections(sql, ids));
    if (!run.repair) return;
    await graph.keep([...missing, ...wrong]);
    if (unjustified > 0) await store.deleteUnjustified(sql, ids);
  }

  return {
    name: 'graph',
    async run(run) {
      let checked = 0;
      for await (const ids of mediaInBatches(sql)) {
        run.signal.throwIfAborted();
        await compare(ids, run);
        checked += ids.length;
        await run.progress(checked);
      }
    },
  };
}

async function tell(run: AuditRun, kind: string, documents: store.Projected[]): Promise<void> {
  await run.report(
    kind,
    documents.map(({ media_id }) => ({ media_id })),
  );
}

/** Equal for equal projections, whatever the order of their rows. */
function sorted({ entities, links }: Projection): string {
  const rows = entities.map(({ kind, entity, name, mentions }) =>
    JSON.stringify([kind, entity, name, mentions]),
  );
  return JSON.stringify([rows.sort(), links.toSorted()]);
}
