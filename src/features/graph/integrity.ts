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
  graph: Pick<Graph, 'keep' | 'forget'>;
  projector: Pick<Projector, 'project'>;
}): IntegrityCheck {
  async function compare(ids: string[], run: AuditRun): Promise<void> {
    const sources = await store.listSources(sql, ids);
    const expected = await projector.project(sources, run.signal);
    const stored = new Map((await store.listProjections(sql, ids)).map((one) => [one.media_id, one]));
    const isSettled = await store.listSettled(sql, ids);
    for (const [index, { media_id }] of sources.entries()) {
      const projection = expected[index] as Projection;
      const found = stored.get(media_id);
      stored.delete(media_id);
      if (found?.projector === PROJECTOR && sorted(found) === sorted(projection)) continue;
      // What has just become readable comes into the graph by itself.
      if (!found && !isSettled.has(media_id)) continue;
      await run.report(found ? 'graph_differs' : 'graph_missing', [{ media_id }]);
      if (run.repair) await graph.keep(media_id, projection);
    }
    for (const media_id of stored.keys()) {
      await run.report('graph_unjustified', [{ media_id }]);
      if (run.repair) await graph.forget(media_id);
    }
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

/** Equal for equal projections, whatever the order of their rows. */
function sorted({ entities, links }: Projection): string {
  const rows = entities.map(({ kind, entity, name, mentions }) =>
    JSON.stringify([kind, entity, name, mentions]),
  );
  return JSON.stringify([rows.sort(), links.toSorted()]);
}
