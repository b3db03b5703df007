import type { Named } from '../../platform/audit/names.ts';
import type { Queryable } from '../../platform/database/database.ts';

/** Lists the names of users, keys and sessions. Only admins may see those of others. */
export async function listNames(sql: Queryable, ids: string[]): Promise<Named[]> {
  return sql<Named[]>`
    select id, username as name
    from users
    where id = any(${ids}::uuid[])
    union all
    select id, name || ' (' || prefix || '…)'
    from api_keys
    where id = any(${ids}::uuid[])
    union all
    select sessions.id, sessions.kind || ' session of ' || users.username
    from sessions
    join users on users.id = sessions.user_id
    where sessions.id = any(${ids}::uuid[])`;
}
