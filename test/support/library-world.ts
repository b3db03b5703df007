import { vi } from 'vitest';
import type { Database } from '../../src/platform/database/database.ts';
import { type Answer, call, DEV_KEYS, type TestApp } from './app.ts';
import { createReader, type Reader, saveEpisode } from './libraries.ts';
import { Model, type Operation } from './library-model.ts';

/** People with one media each and the libraries they create, on a server that runs as a separate process. */
export class World {
  readonly url: string;
  readonly #app: TestApp;
  readonly #sql: Database;
  readonly people: Reader[] = [];
  readonly media: string[] = [];
  readonly libraries: string[] = [];

  constructor(app: TestApp, sql: Database, url: string) {
    this.#app = app;
    this.#sql = sql;
    this.url = url;
  }

  async populate(people: number): Promise<void> {
    for (let n = 0; n < people; n++) {
      const person = await createReader(this.#app);
      this.people.push(person);
      this.media.push(await saveEpisode(this.#sql, person));
    }
  }

  /** Performs the operation over HTTP and returns the last answer. */
  async perform(operation: Operation): Promise<Answer> {
    const { kind, actor } = operation;
    const as = (person: number, method: string, path: string, body?: unknown) =>
      call(this.url, method, path, { key: this.people[person]?.key, body });
    const place = 'library' in operation ? `/libraries/${this.libraries[operation.library]}` : '';
    const home = `/libraries/${this.people[actor]?.defaultLibraryId}`;
    const media_id = 'media' in operation ? this.media[operation.media] : undefined;
    const user_id = 'user' in operation ? this.people[operation.user]?.id : undefined;
    switch (kind) {
      case 'create': {
        const answer = await as(actor, 'POST', '/libraries', { name: `Library of ${actor}` });
        this.libraries.push(answer.body.data.id);
        return answer;
      }
      case 'delete':
        return as(actor, 'DELETE', place);
      case 'add':
        return as(actor, 'POST', `${place}/media`, { media_id });
      case 'remove':
        return as(actor, 'DELETE', `${place}/media/${media_id}`);
      case 'save':
        return as(actor, 'POST', `${home}/media`, { media_id });
      case 'unsave':
        return as(actor, 'DELETE', `${home}/media/${media_id}`);
      case 'join': {
        const { role, user } = operation;
        const invited = await as(actor, 'POST', `${place}/invites`, { invitee_user_id: user_id, role });
        if (invited.status !== 201) return invited;
        return as(user, 'POST', `/libraries/invites/${invited.body.data.id}/accept`);
      }
      case 'expel':
        return as(actor, 'DELETE', `${place}/members/${user_id}`);
      case 'change role':
        return as(actor, 'PATCH', `${place}/members/${user_id}`, { role: operation.role });
      case 'transfer':
        return as(actor, 'POST', `${place}/transfer-ownership`, { new_owner_user_id: user_id });
    }
  }

  /**
   * Reads the facts that the rules depend on from the tables, without the derived data. Takes every library of these people,
   * also one that another has replaced in `libraries`.
   */
  async facts(): Promise<Model> {
    const model = new Model(this.people.length);
    const person = (id: string) => this.people.findIndex((reader) => reader.id === id);
    const owned = await this.#sql`
      select id, owner_user_id
        from libraries
       where owner_user_id = any(${this.people.map(({ id }) => id)}::uuid[])
         and not is_default`;
    for (const { id, owner_user_id } of owned) {
      const members = await this.#sql`select user_id, role from memberships where library_id = ${id}`;
      const listed = await this
        .#sql`select media_id, added_by_user_id from library_media where library_id = ${id}`;
      model.libraries.push({
        owner: person(owner_user_id),
        members: new Map(members.map(({ user_id, role }) => [person(user_id), role])),
        media: new Map(
          listed.map(({ media_id, added_by_user_id }) => [
            this.media.indexOf(media_id),
            person(added_by_user_id),
          ]),
        ),
      });
    }
    for (const [number, reader] of this.people.entries()) {
      const saved = await this.#sql`
        select media_id from default_library_intrinsics where default_library_id = ${reader.defaultLibraryId}`;
      model.saved[number] = new Set(saved.map(({ media_id }) => this.media.indexOf(media_id)));
    }
    return model;
  }

  /** Asks the API, for each person, which media they can read and which their default library lists. */
  async readable(): Promise<{ readable: number[]; listed: number[] }[]> {
    return Promise.all(
      this.people.map(async ({ key, defaultLibraryId }) => {
        const readable: number[] = [];
        for (const [number, id] of this.media.entries()) {
          const { status } = await call(this.url, 'GET', `/media/${id}/provenance`, { key });
          if (status === 200) readable.push(number);
        }
        const { body } = await call(this.url, 'GET', `/libraries/${defaultLibraryId}/media`, { key });
        const listed = body.data.map(({ id }: { id: string }) => this.media.indexOf(id));
        return { readable, listed: listed.sort((a: number, b: number) => a - b) };
      }),
    );
  }

  /** The answers that `readable` must give, by the model. */
  expected(model: Model): { readable: number[]; listed: number[] }[] {
    return this.people.map((_, person) => {
      const readable = [...this.media.keys()].filter((media) => model.canRead(person, media));
      return { readable, listed: readable };
    });
  }

  /** Waits for every backfill, requeueing those that failed or wait for their next attempt. */
  async comeToRest(): Promise<void> {
    const key = DEV_KEYS.operator;
    await vi.waitFor(
      async () => {
        const open = await Promise.all(
          ['pending', 'running', 'failed'].map((status) =>
            call(this.url, 'GET', `/api/v1/backfill-jobs?status=${status}&limit=200`, { key }),
          ),
        );
        const rows = open.flatMap(({ body }) => body.data);
        const late = rows.filter(
          ({ status, due_at }) => status === 'failed' || Date.parse(due_at) > Date.now(),
        );
        for (const { default_library_id, source_library_id, user_id } of late) {
          const body = { default_library_id, source_library_id, user_id };
          await call(this.url, 'POST', '/api/v1/backfill-jobs/requeue', { key, body });
        }
        if (rows.length > 0) throw new Error(`${rows.length} backfills are not done.`);
      },
      { timeout: 120_000, interval: 100 },
    );
  }
}
