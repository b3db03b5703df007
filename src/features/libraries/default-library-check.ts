import type { Database } from '../../platform/database/database.ts';
import type { IntegrityCheck } from '../../platform/integrity/check.ts';
import { createRowCheck } from '../../platform/integrity/scan.ts';

/** Checks that every user has a default library and is its admin. */
export function createDefaultLibraryCheck(sql: Database): IntegrityCheck {
  return createRowCheck(sql, 'default libraries', [
    {
      kind: 'default_library_not_default',
      table: 'users',
      key: 'id',
      isWrong: (tx) => tx`
        exists (select from libraries where libraries.id = scanned.default_library_id and not libraries.is_default)`,
    },
    {
      kind: 'default_library_without_its_owner',
      table: 'libraries',
      key: 'id',
      isWrong: (tx) => tx`
        scanned.is_default
        and not exists (
          select
          from memberships
          where memberships.library_id = scanned.id
            and memberships.user_id = scanned.owner_user_id
            and memberships.role = 'admin'
        )`,
      repair: (tx, rows) => tx`
        insert into memberships (library_id, user_id, role)
        select id, owner_user_id, 'admin' from libraries as scanned where ${rows}
        on conflict (library_id, user_id) do update set role = excluded.role`,
    },
  ]);
}
