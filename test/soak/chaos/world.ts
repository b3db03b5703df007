import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { random } from '../../crash/jobs/crew.ts';
import { type Answer, call, DEV_KEYS } from '../../support/call.ts';
import type { Fleet } from '../../support/fleet.ts';
import { startHistory } from './facts.ts';
import type { Fact, Span, Value } from './history.ts';
import { type Chance, pick } from './pick.ts';

export interface Person {
  name: string;
  id: string;
  key: string;
  defaultLibraryId: string;
  chance: Chance;
  /** The pages that they have probably saved. Like all guesses here, they choose what people try; no check uses them. */
  pages: Set<string>;
}

export interface Library {
  name: string;
  id: string;
  /** The roles and the pages that the last answers told of. */
  roles: Map<string, string>;
  pages: Set<string>;
}

export interface Page {
  name: string;
  id: string;
}

export interface Highlight {
  name: string;
  id: string;
  page: Page;
}

export interface Invitation {
  id: string;
  library: Library;
  inviter: Person;
  invitee: Person;
}

/**
 * The outcome of a request. `done` and `refused` are certain; a refused request changed nothing. `unknown` may have been
 * carried out, or may still be, by a server that is frozen.
 */
export type Outcome = Span &
  ({ kind: 'done'; answer: Answer } | { kind: 'refused'; answer: Answer } | { kind: 'unknown' });

const TIMEOUT_MS = 10_000;
const RETRIED_FOR_MS = 30_000;
const RETRY_MS = 300;
const MOST_SERVERS_TRIED = 8;

const codeOf = (error: unknown) => (error as { cause?: { code?: string } }).cause?.code;

/** People, and everything that they know of: they act through all servers of the fleet at the same time. */
export class World {
  readonly fleet: Fleet;
  readonly history = startHistory();
  readonly people: Person[] = [];
  readonly pages = new Map<string, Page>();
  readonly libraries = new Map<string, Library>();
  readonly highlights = new Map<string, Highlight>();
  readonly invitations = new Map<string, Invitation>();
  /** The number of requests by their outcome. */
  readonly outcomes = new Map<string, number>();
  /** Answers that no fault excuses. */
  readonly errors: string[] = [];
  #names = 0;

  constructor(fleet: Fleet) {
    this.fleet = fleet;
  }

  newName = (prefix: string) => `${prefix}-${this.#names++}`;

  url(chance: Chance): string {
    return pick(this.fleet.servers, chance)?.url ?? '';
  }

  async populate(count: number, seed: number): Promise<void> {
    const admin = async (path: string, body: object) => {
      const url = this.fleet.servers[0]?.url ?? '';
      const answer = await call(url, 'POST', `/api/v1${path}`, { key: DEV_KEYS.admin, body });
      if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}.`);
      return answer.body.data;
    };
    for (let n = 0; n < count; n++) {
      const name = `person-${n}`;
      const { id, default_library_id } = await admin('/users', { username: name, role: 'researcher' });
      const { key } = await admin('/api-keys', { user_id: id, requests_per_minute: 1_000_000 });
      const person = { name, id, key, defaultLibraryId: default_library_id };
      this.people.push({ ...person, chance: random(seed + n), pages: new Set() });
    }
  }

  /** Sends a request once, to any server. */
  async send(person: Person, method: string, path: string, body?: unknown, key?: string): Promise<Outcome> {
    const from = performance.now();
    const span = () => ({ from, to: performance.now() });
    const options = { key: person.key, body, ...(key && { headers: { 'idempotency-key': key } }) };
    try {
      const answer = await this.#reach(person, (url) =>
        call(url, method, `/api/v1${path}`, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) }),
      );
      this.#count(String(answer.status));
      if (answer.status < 400) return { kind: 'done', answer, ...span() };
      // Carried out, but the connection was lost with the answer: what it has made is not known.
      if (answer.body?.error?.code === 'E_IDEMPOTENCY_CONFLICT') return { kind: 'unknown', ...span() };
      if (answer.status < 500) return { kind: 'refused', answer, ...span() };
      if (answer.status !== 503) this.errors.push(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    } catch (error) {
      // An answer that is not as the OpenAPI document describes it is an error of its own.
      const { name, message } = error as Error;
      if (name === 'Error') this.errors.push(message);
      this.#count(codeOf(error) ?? name);
    }
    return { kind: 'unknown', ...span() };
  }

  /** Sends a POST with one idempotency key until its outcome is certain, but not for ever. */
  async post(person: Person, path: string, body?: object): Promise<Outcome> {
    const key = randomUUID();
    const first = await this.send(person, 'POST', path, body, key);
    let last = first;
    while (last.kind === 'unknown' && performance.now() < first.from + RETRIED_FOR_MS) {
      await pause(RETRY_MS);
      last = await this.send(person, 'POST', path, body, key);
    }
    const span = { from: first.from, to: last.to };
    // The first attempt may have been carried out, although a later one was refused.
    if (first.kind === 'unknown' && last.kind === 'refused') return { kind: 'unknown', ...span };
    return { ...last, ...span };
  }

  /** Reads until a server answers. */
  async get(person: Person, path: string): Promise<(Outcome & { kind: 'done' | 'refused' }) | undefined> {
    const until = performance.now() + RETRIED_FOR_MS;
    while (performance.now() < until) {
      const outcome = await this.send(person, 'GET', path);
      if (outcome.kind !== 'unknown') return outcome;
      await pause(RETRY_MS);
    }
    return undefined;
  }

  /** Records what a request has written. */
  record(outcome: Outcome, fact: Fact, value: Value): void {
    if (outcome.kind === 'done') this.history.wrote(fact, value, outcome);
    if (outcome.kind === 'unknown') this.history.mayHaveWritten(fact, value, outcome);
  }

  /** Goes to another server as long as one refuses the connection, as a proxy does. Nothing was sent then. */
  async #reach(person: Person, request: (url: string) => Promise<Answer>): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        return await request(this.url(person.chance));
      } catch (error) {
        if (codeOf(error) !== 'ECONNREFUSED' || tries === MOST_SERVERS_TRIED) throw error;
        await pause(tries * 10);
      }
    }
  }

  #count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}
