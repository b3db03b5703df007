import type { Database, Queryable } from '../../platform/database/database.ts';
import type { Statement } from '../../platform/database/statement.ts';
import type { Finding } from '../../platform/integrity/check.ts';

/** One run of an audit: a job may have several attempts. */
export interface AuditKey {
  jobId: string;
  attempt: number;
}

/** What earlier attempts of this job found, and jobs that are gone. */
export async function forgetFindings(sql: Database, { jobId }: AuditKey): Promise<void> {
  await sql`
    delete from integrity_findings
    where job_id = ${jobId} or not exists (select from jobs where jobs.id = integrity_findings.job_id)`;
}

export async function insertFindings(
  sql: Database,
  { jobId, attempt }: AuditKey,
  kind: string,
  findings: Finding[],
): Promise<void> {
  await sql`
    insert into integrity_findings (job_id, attempt, kind, finding)
    select ${jobId}, ${attempt}, ${kind}, finding
    from unnest(${findings.map((finding) => JSON.stringify(finding))}::jsonb[]) as given (finding)`;
}

/** Every row of a statement, without it leaving the database. */
export async function insertFoundRows(
  sql: Database,
  { jobId, attempt }: AuditKey,
  differences: Statement<readonly object[]>,
): Promise<number> {
  const inserted = await sql`
    insert into integrity_findings (job_id, attempt, kind, finding)
    select ${jobId}, ${attempt}, difference.kind, to_jsonb(difference) - 'kind'
    from (${differences}) as difference`;
  return inserted.count;
}

export async function countByKind(
  sql: Database,
  { jobId, attempt }: AuditKey,
): Promise<Record<string, number>> {
  const rows = await sql<{ kind: string; count: number }[]>`
    select kind, count(*)
    from integrity_findings
    where job_id = ${jobId} and attempt = ${attempt}
    group by kind
    order by kind`;
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
}

export interface FindingRow {
  id: number;
  kind: string;
  finding: Finding;
}

/** The first of each kind, in the order in which they were found. */
export async function listFirst(
  sql: Database,
  { jobId, attempt }: AuditKey,
  kinds: string[],
  ofEachKind: number,
): Promise<FindingRow[]> {
  return sql<FindingRow[]>`
    select first.id, first.kind, first.finding
    from unnest(${kinds}::text[]) as wanted (kind)
    cross join lateral (
      select id, kind, finding
      from integrity_findings
      where job_id = ${jobId} and attempt = ${attempt} and integrity_findings.kind = wanted.kind
      order by id
      limit ${ofEachKind}
    ) as first
    order by first.id`;
}

/** What the last attempt has found, by kind, from behind a row on. */
export async function listFindings(
  sql: Queryable,
  jobId: string,
  kind: string | undefined,
  after: { kind: string; id: number } | null,
  limit: number,
): Promise<(FindingRow & { position: { kind: string; id: number } })[]> {
  return sql<(FindingRow & { position: { kind: string; id: number } })[]>`
    select id, kind, finding, jsonb_build_object('kind', kind, 'id', id) as position
    from integrity_findings
    where job_id = ${jobId}
      and attempt = (select max(attempt) from integrity_findings where job_id = ${jobId})
      ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
      ${after === null ? sql`` : sql`and (kind, id) > (${after.kind}, ${after.id})`}
    order by kind, id
    limit ${limit}`;
}

export async function findAudit(
  sql: Queryable,
  jobId: string,
): Promise<{ created_by_user_id: string | null } | undefined> {
  const [audit] = await sql<{ created_by_user_id: string | null }[]>`
    select created_by_user_id from jobs where id = ${jobId} and job_type = 'integrity_audit'`;
  return audit;
}

export async function countDocuments(sql: Database): Promise<number> {
  const [documents] = await sql<[{ count: number }]>`select count(*) from media`;
  return documents.count;
}
