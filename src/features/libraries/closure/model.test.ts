/**
 * Compares libraries with a model, while workers are killed.
 *
 * @module-tag slow
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEV_KEYS, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { auditOf } from '../../../../test/support/libraries.ts';
import { Model, type Operation } from '../../../../test/support/library-model.ts';
import { World } from '../../../../test/support/library-world.ts';
import { type NexusProcess, startNexus } from '../../../../test/support/nexus-process.ts';

/*
 * MODEL_SEED repeats a run that failed (its seed is printed); MODEL_RUNS makes it longer; STORM_OPERATIONS sets how many
 * operations the last test does.
 */
const seed = Number(process.env.MODEL_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.MODEL_RUNS ?? 3);
const stormOperations = Number(process.env.STORM_OPERATIONS ?? 1000);

const PEOPLE = 4;
const LIBRARIES = 3;

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const env = {
  NEXUS_DATABASE_URL: database.url,
  NEXUS_WORKER_LEASE_SECONDS: '1',
  NEXUS_WORKER_POLL_SECONDS: '0.2',
  NEXUS_LOG_LEVEL: 'warn',
};

let url: string;
let server: NexusProcess;
let workers: NexusProcess[] = [];
const startWorker = () => startNexus(['worker', '--queues', 'ingest'], { env });

beforeAll(async () => {
  server = startNexus(['serve', '--no-worker'], { env });
  url = await server.ready();
  workers = [startWorker(), startWorker()];
});

afterAll(async () => {
  await Promise.all([...workers, server].map((nexus) => nexus.stop('SIGKILL')));
});

const person = fc.nat(PEOPLE - 1);
const media = fc.nat(PEOPLE - 1);
const library = fc.nat(LIBRARIES - 1);
const role = fc.constantFrom(
  'admin' as const,
  'contributor' as const,
  'contributor' as const,
  'member' as const,
);
const record = fc.record;
const kind = <const Kind extends Operation['kind']>(name: Kind) => fc.constant(name);

/** Nobody removes their own media, so that there is always something to share. */
const foreign = fc.tuple(person, fc.integer({ min: 1, max: PEOPLE - 1 }));
const unsave = foreign.map(([actor, distance]): Operation => {
  return { kind: 'unsave', actor, media: (actor + distance) % PEOPLE };
});

const operation = fc.oneof<fc.WeightedArbitrary<Operation>[]>(
  { weight: 5, arbitrary: record({ kind: kind('add'), actor: person, library, media }) },
  { weight: 3, arbitrary: record({ kind: kind('remove'), actor: person, library, media }) },
  { weight: 9, arbitrary: record({ kind: kind('join'), actor: person, library, user: person, role }) },
  { weight: 2, arbitrary: record({ kind: kind('save'), actor: person, media }) },
  { weight: 2, arbitrary: unsave },
  { weight: 2, arbitrary: record({ kind: kind('expel'), actor: person, library, user: person }) },
  { weight: 2, arbitrary: record({ kind: kind('change role'), actor: person, library, user: person, role }) },
  { weight: 2, arbitrary: record({ kind: kind('transfer'), actor: person, library, user: person }) },
  { weight: 1, arbitrary: record({ kind: kind('delete'), actor: person, library }) },
);

/** Creates new people for every run, with a library for each of the first ones. */
async function begin(): Promise<{ world: World; model: Model }> {
  const [world, model] = [new World(app, sql, url), new Model(PEOPLE)];
  await world.populate(PEOPLE);
  for (let actor = 0; actor < LIBRARIES; actor++) {
    await world.perform({ kind: 'create', actor });
    model.apply({ kind: 'create', actor });
  }
  return { world, model };
}

async function replaceWorker(victim: number): Promise<void> {
  const index = victim % workers.length;
  await workers[index]?.stop('SIGKILL');
  workers[index] = startWorker();
}

test('in sequence, every answer and everybody’s access equal the model', async () => {
  const property = fc.asyncProperty(
    fc.array(operation, { minLength: 30, maxLength: 60 }),
    async (operations) => {
      const { world, model } = await begin();
      for (const each of operations) {
        const { status } = await world.perform(each);
        expect({ each, allowed: status < 300 }).toEqual({ each, allowed: model.apply(each) });
      }
      await world.comeToRest();
      expect(await world.readable()).toEqual(world.expected(model));
      expect(await auditOf(sql)).toEqual([]);
    },
  );
  await fc.assert(property, { seed, numRuns });
});

test('in parallel, with workers being killed, everybody’s access follows from the facts', async () => {
  const rounds = fc.array(
    fc.record({
      operations: fc.array(operation, { minLength: 8, maxLength: 12 }),
      victim: fc.option(fc.nat(1), { freq: 2 }),
    }),
    { minLength: 5, maxLength: 8 },
  );
  const property = fc.asyncProperty(rounds, async (plan) => {
    const { world } = await begin();
    for (const { operations, victim } of plan) {
      const answers = Promise.all(operations.map((each) => world.perform(each)));
      if (victim !== null) await replaceWorker(victim);
      for (const { status, body } of await answers) expect(status, JSON.stringify(body)).toBeLessThan(500);
    }
    await world.comeToRest();
    expect(await world.readable()).toEqual(world.expected(await world.facts()));
    expect(await auditOf(sql)).toEqual([]);
  });
  await fc.assert(property, { seed, numRuns, endOnFailure: true });
});

test('a thousand parallel operations: no caller gets a deadlock, and the closure is exact', async () => {
  const { world } = await begin();
  for (const [library] of world.libraries.entries()) await joinEverybody(world, library);
  const operations = fc.sample(operation, { seed, numRuns: stormOperations });
  const failures: unknown[] = [];
  const succeeded = new Set<string>();
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      for (let next = operations.pop(); next; next = operations.pop()) {
        const { status, body } = await world.perform(next);
        if (status >= 500) failures.push({ next, status, body });
        if (status < 300) succeeded.add(next.kind);
        // There is always something to do. A repeated DELETE answers 204, too: what it replaces stays a fact of the world.
        if (next.kind === 'delete' && status === 204) await replace(world, next.library, next.actor);
      }
    }),
  );
  expect(failures, `repeat with MODEL_SEED=${seed}`).toEqual([]);
  const everyKind = ['add', 'change role', 'delete', 'expel', 'join', 'remove', 'save', 'transfer', 'unsave'];
  expect([...succeeded].sort()).toEqual(everyKind);
  await world.comeToRest();
  expect(await world.readable()).toEqual(world.expected(await world.facts()));
  const submitted = await app.call('POST', '/api/v1/jobs/submit', {
    key: DEV_KEYS.operator,
    body: { job_type: 'integrity_audit' },
  });
  const auditor = startNexus(['worker', '--once', '--queues', 'default'], { env });
  expect(await auditor.exited).toBe(0);
  await auditor.stop();
  const { body } = await app.call('GET', `/api/v1/jobs/${submitted.body.job_id}`, { key: DEV_KEYS.operator });
  expect(body.result.inconsistencies).toEqual([]);
});

/** Replaces a deleted library by a new one. */
async function replace(world: World, library: number, actor: number): Promise<void> {
  await world.perform({ kind: 'create', actor });
  world.libraries[library] = world.libraries.pop() ?? '';
  await joinEverybody(world, library, actor);
}

async function joinEverybody(world: World, library: number, actor = library): Promise<void> {
  for (const user of world.people.keys()) {
    if (user !== actor) await world.perform({ kind: 'join', actor, library, user, role: 'admin' });
  }
}
