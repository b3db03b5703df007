import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import type { Rights } from './store.ts';

type BeganWith = 'password' | 'api_key' | 'sign_in_link';

export interface NewSession {
  id: string;
  user_id: string;
  began_with: BeganWith;
  api_key_id: string | null;
  /** The hash of a browser's token; null for programs, which have refresh tokens. */
  token_hash: Buffer | null;
}

const MAX_LIFETIME = '180 days';
/** A session that was not used for this long has ended. */
const MAX_IDLE_TIME = '30 days';

export async function insertSession(tx: Transaction, session: NewSession): Promise<{ expires_at: Date }> {
  const [created] = await tx<[{ expires_at: Date }]>`
    insert into sessions (id, user_id, kind, began_with, api_key_id, token_hash, expires_at)
    values (
      ${session.id}, ${session.user_id}, ${session.token_hash ? 'browser' : 'program'}, ${session.began_with},
      ${session.api_key_id}, ${session.token_hash}, now() + ${MAX_LIFETIME}::interval
    )
    returning expires_at`;
  return created;
}

/** The session of a request, with its validity by the database's clock. */
export interface PresentedSession extends Rights {
  id: string;
  api_key_id: string | null;
  is_over: boolean;
  is_use_due: boolean;
}

const isOver = (sql: Queryable) => sql`(
  sessions.expires_at <= now()
  or sessions.last_used_at <= now() - ${MAX_IDLE_TIME}::interval
)`;

export type SessionKey = { id: string } | { tokenHash: Buffer };

const isSession = (sql: Queryable, key: SessionKey) =>
  'id' in key ? sql`sessions.id = ${key.id}` : sql`sessions.token_hash = ${key.tokenHash}`;

/** Runs on every request with a session: three lookups in unique indexes. */
export async function findSession(sql: Queryable, key: SessionKey): Promise<PresentedSession | undefined> {
  const [session] = await sql<PresentedSession[]>`
    select
      sessions.id,
      sessions.user_id,
      users.username as owner,
      users.role as user_role,
      sessions.api_key_id,
      api_keys.role as key_role,
      coalesce(api_keys.raw_mode_enabled, false) as raw_mode_enabled,
      api_keys.scopes,
      api_keys.requests_per_minute,
      users.default_library_id,
      (
        ${isOver(sql)}
        or users.disabled_at is not null
        or not coalesce(api_keys.enabled, true)
        or coalesce(api_keys.expires_at <= now(), false)
      ) as is_over,
      sessions.last_used_at < now() - interval '1 minute' as is_use_due
    from sessions
    join users on users.id = sessions.user_id
    left join api_keys on api_keys.id = sessions.api_key_id
    where ${isSession(sql, key)}`;
  return session;
}

/** Updates `last_used_at`, at most once per minute and session. */
export async function recordSessionUse(sql: Database, id: string): Promise<void> {
  await sql`
    update sessions
    set last_used_at = now()
    where id = ${id} and last_used_at < now() - interval '1 minute'`;
}

export async function touchSession(tx: Transaction, id: string): Promise<void> {
  await tx`update sessions set last_used_at = now() where id = ${id}`;
}

export async function deleteSession(tx: Transaction, key: SessionKey) {
  const [ended] = await tx<{ id: string; owner: string }[]>`
    delete from sessions
    using users
    where ${isSession(tx, key)} and users.id = sessions.user_id
    returning sessions.id, users.username as owner`;
  return ended;
}

export async function insertRefreshToken(tx: Transaction, sessionId: string, tokenHash: Buffer) {
  await tx`insert into refresh_tokens (token_hash, session_id) values (${tokenHash}, ${sessionId})`;
}

export async function findRefreshToken(sql: Queryable, tokenHash: Buffer) {
  const [token] = await sql<{ session_id: string; is_spent: boolean }[]>`
    select session_id, spent_at is not null as is_spent from refresh_tokens where token_hash = ${tokenHash}`;
  return token;
}

/** Marks a refresh token as spent. Returns false when it already was; of parallel calls, one gets true. */
export async function spendRefreshToken(tx: Transaction, tokenHash: Buffer): Promise<boolean> {
  const spent = await tx`
    update refresh_tokens set spent_at = now() where token_hash = ${tokenHash} and spent_at is null`;
  return spent.count === 1;
}

export async function deleteSessionsOf(tx: Transaction, userId: string, exceptId: string | null) {
  const ended = await tx`
    delete from sessions where user_id = ${userId} and id is distinct from ${exceptId}::uuid`;
  return ended.count;
}

export interface SessionStart {
  began_with: BeganWith;
  /** Whether the session began within the last hour. */
  is_recent: boolean;
}

export async function findSessionStart(sql: Queryable, sessionId: string): Promise<SessionStart | undefined> {
  const [session] = await sql<SessionStart[]>`
    select began_with, created_at > now() - interval '1 hour' as is_recent from sessions where id = ${sessionId}`;
  return session;
}

export async function insertSignInLink(tx: Transaction, userId: string, tokenHash: Buffer, hours: number) {
  const [created] = await tx<[{ expires_at: Date }]>`
    insert into sign_in_links (token_hash, user_id, expires_at)
    values (${tokenHash}, ${userId}, now() + ${hours}::float8 * interval '1 hour')
    returning expires_at`;
  return created;
}

/** Deletes a link and all other links of its user, and returns the user. Of parallel calls, one gets the user. */
export async function spendSignInLink(tx: Transaction, tokenHash: Buffer): Promise<string | undefined> {
  const [spent] = await tx<{ user_id: string; is_over: boolean }[]>`
    delete from sign_in_links where token_hash = ${tokenHash} returning user_id, expires_at <= now() as is_over`;
  if (!spent || spent.is_over) return undefined;
  await deleteSignInLinksOf(tx, spent.user_id);
  return spent.user_id;
}

export async function deleteSignInLinksOf(tx: Transaction, userId: string): Promise<void> {
  await tx`delete from sign_in_links where user_id = ${userId}`;
}

/** Deletes expired links and sessions. Returns their number. */
export async function deleteExpired(sql: Queryable): Promise<number> {
  const links = await sql`delete from sign_in_links where expires_at <= now()`;
  const sessions = await sql`delete from sessions where ${isOver(sql)}`;
  return links.count + sessions.count;
}
