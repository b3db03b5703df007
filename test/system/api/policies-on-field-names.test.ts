import { beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import * as analysis from '../../../src/contract/analysis.ts';
import * as branches from '../../../src/contract/branches.ts';
import { libraryExport } from '../../../src/contract/export.ts';
import { evaluation } from '../../../src/contract/governance.ts';
import { answer, listOf } from '../../../src/contract/wire.ts';
import { saveDocument, workOff } from '../../support/analysis-documents.ts';
import { createPerson, useApp } from '../../support/app.ts';
import { append, fork, insert } from '../../support/branches.ts';
import { useDatabase } from '../../support/database.ts';
import { createLibrary, createReader, type Person, type Reader } from '../../support/libraries.ts';

/** Contains no field names, so policies on field names hide nothing in it. */
const TEXT = 'A falcon slept in the old tower. Nobody woke the bird, because the bird was tired.';

const database = useDatabase();
const app = useApp(database, { NEXUS_SHADOW_EXECUTION_ENABLED: 'true' });

interface Answer {
  route: string;
  path: () => string;
  method?: string;
  body?: object;
  schema?: z.ZodType;
  /** Analyses contain sentences and labels of Nexus, in which a policy may match a word. */
  isOurs?: boolean;
}

let reader: Reader;
let admin: Person;
let documentId: string;
let branchId: string;
let runId: string;
let libraryId: string;

const ANSWERS: Answer[] = [
  {
    route: 'branch text',
    path: () => `/api/v1/branches/${branchId}/text`,
    schema: answer(branches.branchText),
  },
  {
    route: 'branch events',
    path: () => `/api/v1/branches/${branchId}/events`,
    schema: listOf(branches.branchEvent),
  },
  {
    route: 'comparison',
    path: () => `/api/v1/branches/${branchId}/compare?from=0`,
    schema: answer(branches.comparison),
  },
  { route: 'library export', path: () => `/libraries/${libraryId}/export`, schema: libraryExport },
  { route: 'bookmark export', path: () => `/libraries/${libraryId}/export?format=html` },
  { route: 'Markdown export', path: () => `/media/${documentId}/export` },
  {
    route: 'evaluation',
    method: 'POST',
    path: () => '/api/v1/governance/evaluate',
    body: { text: TEXT },
    schema: answer(evaluation),
  },
  {
    route: 'run',
    path: () => `/api/v1/analysis/runs/${runId}`,
    schema: answer(analysis.analysisRun),
    isOurs: true,
  },
  {
    route: 'shadow',
    path: () => `/api/v1/analysis/runs/${runId}/shadow`,
    schema: answer(analysis.shadowAnswer),
    isOurs: true,
  },
];

/** Lists all field names of a JSON Schema. */
function namesIn(schema: unknown): string[] {
  if (schema === null || typeof schema !== 'object') return [];
  const { shape, element, innerType, options } = (schema as z.ZodType & { def: Record<string, unknown> }).def;
  const inside = [element, innerType, ...((options as unknown[]) ?? []), ...Object.values(shape ?? {})];
  return [...Object.keys(shape ?? {}), ...inside.flatMap(namesIn)];
}
const NAMES = [...new Set(ANSWERS.flatMap(({ schema }) => namesIn(schema)))];

beforeAll(async () => {
  reader = await createReader(app);
  admin = await createPerson(app, { role: 'admin' });
  documentId = await saveDocument(database.sql, reader, TEXT);
  libraryId = await createLibrary(reader);
  await reader.post(`/libraries/${libraryId}/media`, { media_id: documentId });
  ({ id: branchId } = await fork(reader, { media_id: documentId }));
  expect((await append(reader, branchId, 0, [insert(0, 'Once more. ')])).status).toBe(201);
  const body = { media_id: documentId, execution_mode: 'shadow' };
  const { body: job } = await app.call('POST', '/api/v1/analyze', { key: reader.key, body });
  await workOff(app);
  const [run] = await database.sql<{ id: string }[]>`
    select id from analysis_runs where job_id = ${job.data.job_id}`;
  runId = run?.id ?? expect.fail('there is no run');
});

test('the names are found', () => {
  expect(NAMES).toEqual(expect.arrayContaining(['text', 'kind', 'title', 'spans', 'documents', 'changes']));
});

describe.each(['redact', 'block'] as const)('policies that %s the names of fields', (action) => {
  beforeAll(async () => {
    await database.sql`delete from governance_policies`;
    const body = { name: `Names, ${action}`, action, terms: NAMES };
    const answer = await app.call('POST', '/api/v1/governance/policies', { key: admin.key, body });
    expect(answer.status).toBe(201);
  });

  test.each(ANSWERS)('leave the $route as it is', async ({ method = 'GET', path, body, schema, isOurs }) => {
    const answer = await app.call(method, path(), { key: reader.key, body });
    if (isOurs && action === 'block' && answer.status === 403) {
      expect(answer.body.error.code).toBe('E_GOVERNANCE_BLOCKED');
      return;
    }
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    if (schema) expect(schema.safeEncode(schema.decode(answer.body))).toMatchObject({ success: true });
    if (!isOurs) expect(JSON.stringify(answer.body)).not.toContain('█');
  });
});
