import type { Queryable } from '../../platform/database/database.ts';
import type { AuditRun, IntegrityCheck } from '../../platform/integrity/check.ts';
import { splitOnTimeout, withLongTimeout } from '../../platform/integrity/statement-timeout.ts';
import { mediaInBatches } from '../media/integrity.ts';
import type { Graph, GraphDependencies } from './graph.ts';
import { PROJECTOR } from './projector.ts';
import * as store from './store.ts';
import type { Projection } from './work.ts';

type GraphCheckDependencies = GraphDependencies & { graph: Pick<Graph, 'keep'> };

/** Checks that the graph contains every readable document as projecting it now would write it, and no other. */
export function createGraphCheck({ sql, graph, projector }: GraphCheckDependencies): IntegrityCheck {
  /** Projects documents again whose source or graph rows have changed. */
  async function compare(ids: string[], run: AuditRun): Promise<void> {
    const projections = (await splitOnTimeout(sql, ids, store.listProjections)).flat();
    const stored = new Map(projections.map((one) => [one.media_id, one]));
    const isSettled = new Set((await splitOnTimeout(sql, ids, store.listSettled)).flat());
    const sources = (await splitOnTimeout(sql, ids, store.listSources)).flat();
    const expected = await projector.project(sources, run.signal);
    const [missing, wrong, right]: [store.Projected[], store.Projected[], store.Projected[]] = [[], [], []];
    for (const [index, source] of sources.entries()) {
      const projected = { ...source, ...(expected[index] as Projection) };
      const found = stored.get(source.media_id);
      if (found) {
        const isRight = found.projector === PROJECTOR && sorted(found) === sorted(projected);
        (isRight ? right : wrong).push(projected);
      } else if (isSettled.has(source.media_id)) {
        // Documents that have just become readable are projected by their job.
        missing.push(projected);
      }
    }
    await tell(run, 'graph_missing', missing);
    await tell(run, 'graph_differs', wrong);
    // A correct projection without a fingerprint gets one.
    if (run.repair) await graph.keep([...missing, ...wrong, ...right]);
  }

  return {
    name: 'graph',
    async run(run) {
      let checked = 0;
      for await (const ids of mediaInBatches(sql)) {
        run.signal.throwIfAborted();
        const listSuspects = (on: Queryable, part: string[]) => store.listSuspects(on, PROJECTOR, part);
        const suspects = (await splitOnTimeout(sql, ids, listSuspects)).flat();
        if (suspects.length > 0) await compare(suspects, run);
        const counts = await splitOnTimeout(sql, ids, (queryable, part) =>
          run.reportRows(store.unjustifiedProjections(queryable, part), queryable),
        );
        const isWrong = counts.some((count) => count > 0);
        if (isWrong && run.repair) await withLongTimeout(sql, (tx) => store.deleteUnjustified(tx, ids));
        checked += ids.length;
        await run.progress(checked);
      }
    },
  };
}

async function tell(run: AuditRun, kind: string, documents: store.Projected[]): Promise<void> {
  const findings = documents.map(({ media_id }) => ({ media_id }));
  await run.report(kind, findings);
}

/** Returns a key that is equal for equal projections, whatever the order of their rows. */
function sorted({ entities, links }: Projection): string {
  const rows = entities.map(({ kind, entity, name, mentions }) =>
    JSON.stringify([kind, entity, name, mentions]),
  );
  return JSON.stringify([rows.sort(), links.toSorted()]);
}
