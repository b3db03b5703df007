import type { Principal } from '../../contract/identity.ts';
import type { AuditEntry } from '../../contract/operations.ts';
import { type AuditFilter, listAudit } from '../../platform/audit/audit.ts';
import type { NameSource } from '../../platform/audit/names.ts';
import { cutPage, readCursor } from '../../platform/cursor.ts';
import type { Database } from '../../platform/database/database.ts';

export type Operations = ReturnType<typeof createOperations>;

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const idsOf = ({ details }: Pick<AuditEntry, 'details'>) =>
  Object.values(details).filter((value): value is string => typeof value === 'string' && ID.test(value));

export function createOperations({ sql, names }: { sql: Database; names: readonly NameSource[] }) {
  /** Returns the names of the ids that the viewer may see. */
  async function namesOf(viewer: Principal, ids: string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) return new Map();
    const found = await Promise.all(names.map((source) => source(viewer, ids)));
    return new Map(found.flat().map(({ id, name }) => [id, name]));
  }

  return {
    async audit(query: AuditFilter & { cursor?: string | undefined; limit: number }, viewer: Principal) {
      const entries = await listAudit(sql, query, readCursor(query.cursor), query.limit + 1);
      const { data, page } = cutPage(entries, query.limit);
      const named = await namesOf(viewer, [...new Set(data.flatMap(idsOf))]);
      const withNames = data.map((entry) => ({
        ...entry,
        names: Object.fromEntries(
          idsOf(entry).flatMap((id) => {
            const name = named.get(id);
            return name === undefined ? [] : [[id, name] as const];
          }),
        ),
      }));
      return { data: withNames, page };
    },
  };
}
