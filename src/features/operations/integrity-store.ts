import type { Queryable } from '../../platform/database/database.ts';
import type { SqlFragment } from '../../platform/database/statement.ts';
import type { Finding } from '../../platform/integrity/check.ts';

/** Identifies one run of an audit: an attempt of its job. */
interface AuditKey {
  jobId: string;
  attempt: number;
}

export async function deleteObsolete(sql: Queryable, { jobId }: AuditKey, range: SqlFragment): Promise<void> {
  await sql`
    delete from integrity_findings as scanned
    where ${range}
      and (scanned.job_id = ${jobId} or not exists (select from jobs where jobs.id = scanned.job_id))`;
}

export async function insertFindings(sql: Queryable, key: AuditKey, kind: string, findings: Finding[]) {
  await sql`
    insert into integrity_findings (job_id, attempt, kind, finding)
    select ${key.jobId}, ${key.attempt}, ${kind}, finding
    from unnest(${findings.map((finding) => JSON.stringify(finding))}::jsonb[]) as given (finding)`;
}

/** Stores every row of a statement as a finding, inside the database. Returns the number of rows of each kind. */
export async function insertFoundRows(sql: Queryable, key: AuditKey, differences: SqlFragment) {
  return sql<{ kind: string; count: number }[]>`
    with inserted as (
      insert into integrity_findings (job_id, attempt, kind, finding)
      select ${key.jobId}, ${key.attempt}, difference.kind, to_jsonb(difference) - 'kind'
      from (${differences}) as difference
      returning kind
    )
    select kind, count(*)::int as count
    from inserted
    group by kind`;
}

export interface FindingRow {
  id: number;
  kind: string;
  finding: Finding;
}

/** Returns the first findings of each kind, in the order in which they were found. */
export async function listFirst(sql: Queryable, key: AuditKey, kinds: string[], limitPerKind: number) {
  return sql<FindingRow[]>`
    select first.id, first.kind, first.finding
    from unnest(${kinds}::text[]) as wanted (kind)
    cross join lateral (
      select id, kind, finding
      from integrity_findings
      where job_id = ${key.jobId} and attempt = ${key.attempt} and integrity_findings.kind = wanted.kind
      order by id
      limit ${limitPerKind}
    ) as first
    order by first.id`;
}

type FindingCursor = Pick<FindingRow, 'kind' | 'id'>;

interface FindingQuery {
  jobId: string;
  kind: string | undefined;
  after: FindingCursor | null;
  limit: number;
}

/** Lists the findings of the last attempt, sorted by kind, after a cursor. */
export async function listFindings(sql: Queryable, { jobId, kind, after, limit }: FindingQuery) {
  return sql<(FindingRow & { cursor: FindingCursor })[]>`
    select id, kind, finding, jsonb_build_object('kind', kind, 'id', id) as cursor
    from integrity_findings
    where job_id = ${jobId}
      and attempt = (select max(attempt) from integrity_findings where job_id = ${jobId})
      ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
      ${after === null ? sql`` : sql`and (kind, id) > (${after.kind}, ${after.id})`}
    order by kind, id
    limit ${limit}`;
}

export async function findAudit(sql: Queryable, jobId: string) {
  const [audit] = await sql<{ created_by_user_id: string | null }[]>`
    select created_by_user_id from jobs where id = ${jobId} and job_type = 'integrity_audit'`;
  return audit;
}
