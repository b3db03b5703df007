import { addToDefaultLibrary } from '../../src/features/libraries/closure/closure.ts';
import { createClosureCheck } from '../../src/features/libraries/closure/closure-audit.ts';
import type { Database, Queryable } from '../../src/platform/database/database.ts';
import { transaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import type { Finding, IntegrityCheck } from '../../src/platform/integrity/check.ts';
import { type call, createPerson, type TestApp } from './app.ts';

export type Person = Awaited<ReturnType<typeof createPerson>>;

/** A person with a key, and functions to send requests as them. */
export interface Reader extends Person {
  id: string;
  defaultLibraryId: string;
  get(path: string): ReturnType<typeof call>;
  post(path: string, body?: unknown): ReturnType<typeof call>;
  patch(path: string, body: unknown): ReturnType<typeof call>;
  delete(path: string): ReturnType<typeof call>;
}

export async function createReader(app: TestApp): Promise<Reader> {
  return readerOf(app, await createPerson(app));
}

export function readerOf(app: TestApp, person: Person): Reader {
  const { key } = person;
  return {
    ...person,
    id: person.user.id,
    defaultLibraryId: person.user.default_library_id,
    get: (path) => app.call('GET', path, { key }),
    post: (path, body) => app.call('POST', path, { key, body }),
    patch: (path, body) => app.call('PATCH', path, { key, body }),
    delete: (path) => app.call('DELETE', path, { key }),
  };
}

let titles = 0;

/** Saves a media of a kind that no job processes, so that the integrity audit does not report it as stuck. */
export const saveEpisode = (sql: Database, reader: Reader) => saveMedia(sql, reader, 'podcast_episode');

/** Saves a media that waits for its job. */
export async function saveMedia(
  sql: Database,
  { id: userId, defaultLibraryId }: Reader,
  kind = 'web_article',
): Promise<string> {
  const id = newId();
  titles += 1;
  await transaction(sql, async (tx) => {
    await tx`
      insert into media (id, kind, title, created_by_user_id)
      values (${id}, ${kind}, ${`Article ${titles}`}, ${userId})`;
    await addToDefaultLibrary(tx, defaultLibraryId, [{ media_id: id }], { userId });
  });
  return id;
}

export async function createLibrary(owner: Reader, name = 'Shared'): Promise<string> {
  const { status, body } = await owner.post('/libraries', { name });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data.id;
}

export async function invite(admin: Reader, libraryId: string, invitee: Reader, role = 'member') {
  const { status, body } = await admin.post(`/libraries/${libraryId}/invites`, {
    invitee_user_id: invitee.id,
    role,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data.id as string;
}

/** Makes a person a member by an invitation that they accept. */
export async function join(admin: Reader, libraryId: string, invitee: Reader, role = 'member') {
  const id = await invite(admin, libraryId, invitee, role);
  const { status, body } = await invitee.post(`/libraries/invites/${id}/accept`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.data;
}

/** Asks the API whether a person can read a media. */
export async function canRead(reader: Reader, mediaId: string): Promise<boolean> {
  const { status } = await reader.get(`/media/${mediaId}/provenance`);
  return status === 200;
}

/** The closure tables' rows about one media in one default library. */
export async function closureOf(sql: Queryable, defaultLibraryId: string, mediaId: string) {
  const listed = await sql`
    select from library_media where library_id = ${defaultLibraryId} and media_id = ${mediaId}`;
  const intrinsics = await sql`
    select from default_library_intrinsics where default_library_id = ${defaultLibraryId} and media_id = ${mediaId}`;
  const edges = await sql<{ source_library_id: string }[]>`
    select source_library_id from default_library_closure_edges
    where default_library_id = ${defaultLibraryId} and media_id = ${mediaId} order by source_library_id`;
  return {
    listed: listed.length === 1,
    intrinsic: intrinsics.length === 1,
    edges: edges.map(({ source_library_id }) => source_library_id),
  };
}

export type Found = Finding & { kind: string };

/** Runs the audit of libraries and returns its findings. */
export async function auditOf(sql: Database, { repair = false } = {}): Promise<Found[]> {
  return findings(sql, createClosureCheck(sql), { repair });
}

/** Runs an integrity check and returns its findings. */
export async function findings(
  sql: Database,
  check: IntegrityCheck,
  { repair = false } = {},
): Promise<Found[]> {
  const found: Found[] = [];
  await check.run({
    repair,
    signal: new AbortController().signal,
    report: async (kind, list) => void found.push(...list.map((one) => ({ kind, ...one }))),
    async reportRows(differences, within = sql) {
      const rows = await within<Found[]>`select * from (${differences}) as difference`;
      found.push(...rows);
      return rows.length;
    },
    progress: async () => {},
  });
  return found;
}
