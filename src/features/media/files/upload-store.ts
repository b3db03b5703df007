import type { Queryable, Transaction } from '../../../platform/database/database.ts';
import type { SqlFragment } from '../../../platform/database/statement.ts';

export interface Upload {
  media_id: string;
  user_id: string;
  path: string;
  content_type: string;
  size_bytes: number;
  status: 'open' | 'taken_in' | 'refused' | 'expired';
  received_at: Date | null;
  sha256: string | null;
  outcome_media_id: string | null;
  error_code: string | null;
  error_message: string | null;
}

interface NewUpload extends Pick<Upload, 'media_id' | 'user_id' | 'path'> {
  kind: 'pdf' | 'epub';
  title: string;
  contentType: string;
  size: number;
}

/** Inserts an upload and its media. The file is charged when the upload begins (`stored_bytes`). */
export async function insertUpload(
  tx: Transaction,
  { media_id, user_id, path, kind, title, contentType, size }: NewUpload,
  openSeconds: number,
): Promise<void> {
  await tx`
    insert into media (id, kind, title, given_title, created_by_user_id, stored_bytes)
    values (${media_id}, ${kind}, ${title}, ${title}, ${user_id}, ${size})`;
  await tx`
    insert into uploads (media_id, user_id, path, content_type, size_bytes, open_until)
    values (
      ${media_id}, ${user_id}, ${path}, ${contentType}, ${size}, now() + ${openSeconds} * interval '1 second'
    )`;
}

async function find(sql: Queryable, where: SqlFragment): Promise<Upload | undefined> {
  const [upload] = await sql<Upload[]>`
    select
      media_id, user_id, path, content_type, size_bytes, status, received_at, sha256, outcome_media_id, error_code,
      error_message
    from uploads
    where ${where}`;
  return upload;
}

export const findUpload = (sql: Queryable, mediaId: string) => find(sql, sql`media_id = ${mediaId}`);
export const findUploadAt = (sql: Queryable, path: string) => find(sql, sql`path = ${path}`);
/** Locks an upload, so that one caller at a time decides its outcome. */
export const lockUpload = (tx: Transaction, mediaId: string) =>
  find(tx, tx`media_id = ${mediaId} for update`);

export async function markReceived(tx: Transaction, mediaId: string, sha256: string): Promise<void> {
  await tx`update uploads set received_at = now(), sha256 = ${sha256} where media_id = ${mediaId}`;
}

export async function markTakenIn(tx: Transaction, mediaId: string, outcomeMediaId: string): Promise<void> {
  await tx`
    update uploads
    set status = 'taken_in', outcome_media_id = ${outcomeMediaId}, closed_at = now()
    where media_id = ${mediaId}`;
}

export async function closeUpload(
  tx: Transaction,
  mediaId: string,
  status: 'refused' | 'expired',
  { code, message }: { code: string; message: string },
): Promise<void> {
  await tx`
    update uploads
    set status = ${status}, error_code = ${code}, error_message = ${message}, closed_at = now()
    where media_id = ${mediaId}`;
}

export async function listAbandoned(sql: Queryable, limit: number): Promise<string[]> {
  const rows = await sql<{ media_id: string }[]>`
    select media_id
    from uploads
    where status = 'open' and open_until < now()
    order by open_until
    limit ${limit}`;
  return rows.map(({ media_id }) => media_id);
}

/** Deletes uploads that ended so long ago that no client asks for their answer again. */
export async function forgetClosedUploads(sql: Queryable, days: number): Promise<void> {
  await sql`delete from uploads where status <> 'open' and closed_at < now() - ${days} * interval '1 day'`;
}

/** Deletes the uploads of media that are deleted: no answer may name them any more. */
export async function forgetUploadsOf(tx: Transaction, mediaIds: string[]): Promise<void> {
  await tx`
    delete from uploads
    where media_id = any(${mediaIds}::uuid[]) or outcome_media_id = any(${mediaIds}::uuid[])`;
}
