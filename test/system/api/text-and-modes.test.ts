import { beforeAll, describe, expect, test } from 'vitest';
import { MODES, type Mode, ROLES, type Role, roleAllows } from '../../../src/contract/roles.ts';
import { saveDocument, workOff } from '../../support/analysis-documents.ts';
import { createPerson, useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { createLibrary, createReader, invite, type Person, type Reader } from '../../support/libraries.ts';

/** A word in a document that PUBLIC mode hides. */
const SECRET = 'xylophone';
const TEXT = `The ${SECRET} stood in the hall. Nobody played the ${SECRET}, because the ${SECRET} of Doctor ${SECRET.toUpperCase()} was broken. The ${SECRET} was old. The ${SECRET} was loud.`;

const database = useDatabase();
const { sql } = database;
const app = useApp(database, {
  NEXUS_RAW_MODE_ENABLED: 'true',
  NEXUS_SHADOW_EXECUTION_ENABLED: 'true',
  NEXUS_BLOCKED_TERMS: SECRET,
});

const holdsSecret = (body: unknown) => JSON.stringify(body).toLowerCase().includes(SECRET);

/** Puts all people into one library, whose document has been analysed in both modes, with a shadow. */
const people = {} as Record<Role, { raw: Person; plain: Person }>;
const runs = {} as Record<Mode, string>;
const jobs = {} as Record<Mode, string>;
let owner: Reader;
let libraryId: string;
let documentId: string;
let branchId: string;

async function enter(library: string, person: Person): Promise<void> {
  const invitee = { ...person, id: person.user.id } as Reader;
  const id = await invite(owner, library, invitee);
  const { status } = await app.call('POST', `/libraries/invites/${id}/accept`, { key: person.key });
  expect(status).toBe(200);
}

beforeAll(async () => {
  owner = await createReader(app);
  documentId = await saveDocument(sql, owner, TEXT);
  libraryId = await createLibrary(owner);
  await owner.post(`/libraries/${libraryId}/media`, { media_id: documentId });
  for (const role of ROLES) {
    people[role] = {
      raw: await createPerson(app, { role, raw: true }),
      plain: await createPerson(app, { role }),
    };
    await enter(libraryId, people[role].raw);
    await enter(libraryId, people[role].plain);
  }
  for (const mode of MODES) {
    const body = { media_id: documentId, mode, execution_mode: 'shadow' };
    const answer = await app.call('POST', '/api/v1/analyze', { key: people.admin.raw.key, body });
    expect(answer.status).toBe(202);
    jobs[mode] = answer.body.data.job_id;
    await workOff(app);
    const [run] = await sql<{ id: string }[]>`select id from analysis_runs where job_id = ${jobs[mode]}`;
    runs[mode] = run?.id ?? expect.fail('there is no run');
  }
  branchId = await forkBranch();
});

/** Forks the document and adds an event that contains the word. */
async function forkBranch(): Promise<string> {
  const { key } = people.admin.raw;
  const fork = { media_id: documentId, name: 'Draft' };
  const forked = await app.call('POST', '/api/v1/branches', { key, body: fork });
  expect(forked.status).toBe(201);
  const { id } = forked.body.data;
  const events = [{ kind: 'insert', at: 0, text: `A ${SECRET}! ` }];
  const body = { after: 0, events };
  const answer = await app.call('POST', `/api/v1/branches/${id}/events`, { key, body });
  expect(answer.status).toBe(201);
  return id;
}

/** Every route that answers with text as a mode allows, or could leak it, and how it is called. */
const ROUTES: Record<
  string,
  (mode: Mode) => { path: string; body?: unknown; takesMode: boolean; minimum: Role }
> = {
  'POST /api/v1/analyze': (mode) => ({
    path: '/api/v1/analyze',
    body: { media_id: documentId, mode },
    takesMode: true,
    minimum: 'operator',
  }),
  'POST /api/v1/governance/evaluate': (mode) => ({
    path: '/api/v1/governance/evaluate',
    body: { text: TEXT, mode },
    takesMode: true,
    minimum: 'operator',
  }),
  'GET /api/v1/analysis/runs/:id': (mode) => ({
    path: `/api/v1/analysis/runs/${runs[mode]}`,
    takesMode: true,
    minimum: 'viewer',
  }),
  'GET /api/v1/analysis/runs/:id/shadow': (mode) => ({
    path: `/api/v1/analysis/runs/${runs[mode]}/shadow`,
    takesMode: true,
    minimum: 'viewer',
  }),
  'GET /api/v1/analysis/profiles': () => ({
    path: '/api/v1/analysis/profiles',
    takesMode: false,
    minimum: 'viewer',
  }),
  'GET /api/v1/analysis/runs': () => ({
    path: `/api/v1/analysis/runs?media_id=${documentId}`,
    takesMode: false,
    minimum: 'viewer',
  }),
  'GET /api/v1/branches/:id/text': (mode) => ({
    path: `/api/v1/branches/${branchId}/text?mode=${mode}`,
    takesMode: true,
    minimum: 'viewer',
  }),
  'GET /api/v1/branches/:id/events': (mode) => ({
    path: `/api/v1/branches/${branchId}/events?mode=${mode}`,
    takesMode: true,
    minimum: 'viewer',
  }),
  'GET /api/v1/branches/:id/compare': (mode) => ({
    path: `/api/v1/branches/${branchId}/compare?from=0&mode=${mode}`,
    takesMode: true,
    minimum: 'viewer',
  }),
  'GET /api/v1/branches/:id': () => ({
    path: `/api/v1/branches/${branchId}`,
    takesMode: false,
    minimum: 'viewer',
  }),
  'GET /api/v1/branches': () => ({
    path: `/api/v1/branches?media_id=${documentId}`,
    takesMode: false,
    minimum: 'viewer',
  }),
  'GET /api/v1/libraries/:id/export': (mode) => ({
    path: `/libraries/${libraryId}/export?mode=${mode}`,
    takesMode: true,
    minimum: 'viewer',
  }),
  'GET /api/v1/media/:id/export': (mode) => ({
    path: `/media/${documentId}/export?mode=${mode}`,
    takesMode: true,
    minimum: 'viewer',
  }),
  'GET /api/v1/jobs/:job_id/progress': (mode) => ({
    path: `/api/v1/jobs/${jobs[mode]}/progress`,
    takesMode: false,
    minimum: 'viewer',
  }),
  'GET /api/v1/jobs/:job_id': (mode) => ({
    path: `/api/v1/jobs/${jobs[mode]}`,
    takesMode: false,
    minimum: 'viewer',
  }),
  'GET /api/v1/jobs': () => ({ path: '/api/v1/jobs', takesMode: false, minimum: 'viewer' }),
  'GET /api/v1/events': () => ({ path: '/api/v1/events?limit=200', takesMode: false, minimum: 'viewer' }),
  'GET /api/v1/audit': () => ({ path: '/api/v1/audit?limit=200', takesMode: false, minimum: 'admin' }),
};

test('every route of analysis, governance, branches and exports is tested here, except those that return nothing or only what was sent', () => {
  const registered = app.routes
    .filter(
      ({ method, url }) =>
        method !== 'HEAD' && /^\/api\/v1\/(?:analy|governance|branches)|\/export$/.test(url),
    )
    .filter(({ url }) => !url.startsWith('/api/v1/governance/policies'))
    .filter(({ method, url }) => !(['POST', 'DELETE'].includes(method) && url.startsWith('/api/v1/branches')))
    .map(({ method, url }) => `${method} ${url}`);
  expect(Object.keys(ROUTES)).toEqual(expect.arrayContaining(registered));
});

describe.each(MODES)('in %s', (mode) => {
  describe.each(ROLES)('a %s', (role) => {
    test.each(['raw', 'plain'] as const)(
      'with a %s key sees what the role and mode allow, on every route',
      async (kind) => {
        const { key } = people[role][kind];
        const mayRaw = kind === 'raw' && roleAllows(role, 'researcher');
        for (const [route, make] of Object.entries(ROUTES)) {
          const { path, body, takesMode, minimum } = make(mode);
          const answer = await app.call(route.split(' ')[0] ?? '', path, { key, body });
          const isAllowed = roleAllows(role, minimum) && (!takesMode || mode === 'PUBLIC' || mayRaw);
          expect.soft(answer.status, `${route} as ${role}, ${kind}`).toBe(isAllowed ? 200 : 403);
          const mayShow = isAllowed && takesMode && mode === 'RAW';
          expect.soft(holdsSecret(answer.body), `${route} as ${role}, ${kind}`).toBe(mayShow && shows(route));
        }
      },
    );
  });
});

/** A shadow run by the same rules has no differences. */
function shows(route: string): boolean {
  return route !== 'GET /api/v1/analysis/runs/:id/shadow';
}

test('an error contains nothing of the text', async () => {
  const { key } = people.admin.plain;
  for (const body of [
    { text: TEXT, mode: SECRET },
    { text: TEXT.repeat(1000), mode: 'PUBLIC' },
    { text: [TEXT] },
  ]) {
    const answer = await app.call('POST', '/api/v1/governance/evaluate', { key, body });
    expect(answer.status).toBe(400);
    expect(holdsSecret(answer.body)).toBe(false);
  }
});
