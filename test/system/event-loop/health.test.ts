import { readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { saveDocument as saveText } from '../../support/analysis-documents.ts';
import { call, DEV_KEYS } from '../../support/call.ts';
import { useDatabase } from '../../support/database.ts';
import { saveDocument } from '../../support/documents.ts';
import { type NexusProcess, startNexus } from '../../support/nexus-process.ts';
import { newDirectory } from '../../support/workspace.ts';

/**
 * No request may block the server for others: while each of these requests runs in a real server, the health checks of
 * another client are answered. Each of these requests once blocked the server for seconds.
 */
const database = useDatabase();
const key = DEV_KEYS.admin;
let nexus: NexusProcess;
let url: string;
let turnsFile: string;
let owner: { id: string; defaultLibraryId: string };

const POLL_EVERY_MS = 20;
const LONGEST_WAIT_MS = 250;

beforeAll(async () => {
  turnsFile = path.join(await newDirectory(), 'turns');
  nexus = startNexus(['serve'], {
    env: {
      NEXUS_DATABASE_URL: database.url,
      NEXUS_LOG_LEVEL: 'warn',
      NODE_OPTIONS: `--import ${new URL('turns.mjs', import.meta.url)}`,
      TURNS_FILE: turnsFile,
    },
  });
  url = await nexus.ready();
  const { body } = await call(url, 'GET', '/api/v1/auth/whoami', { key });
  owner = { id: body.user_id, defaultLibraryId: body.default_library_id };
});

afterAll(() => nexus.stop());

/** The health check of another client. Returns its status. */
function checkHealth(): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get(`${url}/healthz`, { agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject);
  });
}

/** Sends health checks at a steady rate until the work is done, and returns how the server answered them. */
async function healthDuring<T>(work: () => Promise<T>) {
  const turnsBefore = (await turns()).length;
  const checks: Promise<number>[] = [];
  const check = () => void checks.push(checkHealth());
  check();
  const timer = setInterval(check, POLL_EVERY_MS);
  try {
    const result = await work();
    const statuses = new Set(await Promise.all(checks));
    const waits = (await turns()).slice(turnsBefore).flatMap(waitsDuring);
    return { result, statuses: [...statuses], waitedP95: p95(waits) };
  } finally {
    clearInterval(timer);
  }
}

/** The lengths of the turns of the server's event loop so far; see turns.mjs. */
async function turns(): Promise<number[]> {
  return (await readFile(turnsFile, 'utf8')).trim().split('\n').map(Number);
}

/** How long checks wait that are sent at a steady rate during a turn. */
function waitsDuring(turn: number): number[] {
  return Array.from({ length: Math.ceil(turn / POLL_EVERY_MS) }, (_, sent) => turn - sent * POLL_EVERY_MS);
}

function p95(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
}

/** Sends a request and discards the answer, so that this process stays responsive. */
function ask(method: string, path: string, body?: unknown): Promise<{ status: number; size: number }> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = http.request(
      url + path,
      {
        method,
        agent: false,
        headers: {
          'x-nexus-api-key': key,
          ...(payload && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
        },
      },
      (response) => {
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, size }));
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(payload);
  });
}

const save = (html: string) => saveDocument(database.sql, owner, { html });
const save7MB = () =>
  saveText(
    database.sql,
    { user: { id: owner.id, default_library_id: owner.defaultLibraryId } } as never,
    'A line of words that is as long as a line of words may be, and a little longer\n'.repeat(90_000),
  );

async function forkOf(documentId: string): Promise<string> {
  const { body } = await call(url, 'POST', '/api/v1/branches', { key, body: { media_id: documentId } });
  return body.data.id;
}

async function append(branchId: string, after: number, events: object[]): Promise<void> {
  const { status } = await ask('POST', `/api/v1/branches/${branchId}/events`, { after, events });
  expect(status).toBe(201);
}

/** Creates a branch that differs from its document in every line. */
async function rewrittenBranch(): Promise<string> {
  const id = await forkOf(await save7MB());
  const replaced = 'other words here\n'.repeat(50_000);
  await append(id, 0, [{ kind: 'replace', at: 0, length: 7_000_000, text: replaced }]);
  return id;
}

async function withPolicy<T>(body: object, work: () => Promise<T>): Promise<T> {
  const policy = await call(url, 'POST', '/api/v1/governance/policies', { key, body });
  expect(policy.status).toBe(201);
  try {
    return await work();
  } finally {
    await call(url, 'DELETE', `/api/v1/governance/policies/${policy.body.data.id}`, { key });
  }
}

const PATTERNS = ['\\b\\d{3}-\\d{4}\\b', '[a-z]+@[a-z]+', '(secret|hidden) \\w+', '\\b[a-z]{1,20}zz\\b'];
const MARKS = `a${'\u0301\u0316'.repeat(120_000)}`;

/** Each entry prepares its data, which is not measured, and returns the request to measure. */
const ATTACKS: [string, () => Promise<() => Promise<{ status: number }>>][] = [
  [
    'a table with one row of 9,000 cells is exported',
    async () => {
      const rows = '<tr><td>x</td></tr>'.repeat(9000);
      const id = await save(`<table><tr>${'<td>x</td>'.repeat(9000)}</tr>${rows}</table>`);
      return () => ask('GET', `/media/${id}/export`);
    },
  ],
  [
    'nested paragraphs are exported',
    async () => {
      const id = await save('<div><p>x</p>'.repeat(16_000));
      return () => ask('GET', `/media/${id}/export`);
    },
  ],
  [
    'a book is exported as Markdown under patterns',
    async () => {
      const id = await save(`<p>${'word '.repeat(264_000)}</p>`);
      return () =>
        withPolicy({ name: 'Patterns', patterns: PATTERNS }, () => ask('GET', `/media/${id}/export`));
    },
  ],
  [
    'a library is exported under patterns',
    async () => {
      await save(`<p>${'word '.repeat(264_000)}</p>`);
      return () =>
        withPolicy({ name: 'Patterns', patterns: PATTERNS }, () =>
          ask('GET', `/libraries/${owner.defaultLibraryId}/export`),
        );
    },
  ],
  [
    'a book of 40 MB is read',
    async () => {
      const id = await save('<p>One chapter.</p>');
      await database.sql`
        insert into media_fragments (id, media_id, idx, html_sanitized, canonical_text)
        select gen_random_uuid(), ${id}, idx, repeat('<i>word</i> ', 40000), repeat('word ', 80000)
        from generate_series(1, 45) as idx`;
      return () => ask('GET', `/media/${id}/fragments`);
    },
  ],
  [
    'a text of 50,000 characters is judged by patterns',
    async () => () =>
      withPolicy({ name: 'Many', patterns: Array(10).fill('[a-z ]{1,100}zz') }, () =>
        ask('POST', '/api/v1/governance/evaluate', { text: 'a word '.repeat(7000) }),
      ),
  ],
  [
    'the text of a branch of 7 MB is read by three people at once',
    async () => {
      const id = await forkOf(await save7MB());
      await append(id, 0, Array(20).fill({ kind: 'insert', at: 3_000_000, text: 'é' }));
      return async () => {
        const texts = Array.from({ length: 3 }, () => ask('GET', `/api/v1/branches/${id}/text`));
        const answers = await Promise.all(texts);
        return answers.find(({ status }) => status !== 200) ?? { status: 200 };
      };
    },
  ],
  [
    'a branch of 7 MB is compared with what it was',
    async () => {
      const id = await rewrittenBranch();
      return () => ask('GET', `/api/v1/branches/${id}/compare?from=0`);
    },
  ],
  [
    'a branch of 7 MB is normalised twenty times',
    async () => {
      const id = await forkOf(await save7MB());
      const events = ['NFD', 'NFC', 'NFKD', 'NFKC'].map((form) => ({ kind: 'normalize', form }));
      const body = { after: 0, events: Array(5).fill(events).flat() };
      return async () => {
        const { status } = await ask('POST', `/api/v1/branches/${id}/events`, body);
        return { status: status === 201 ? 200 : status };
      };
    },
  ],
  [
    'combining marks are normalised',
    async () => {
      const id = await forkOf(await save('<p>short</p>'));
      await append(id, 0, [{ kind: 'insert', at: 0, text: MARKS }]);
      return async () => {
        const body = { after: 1, events: [{ kind: 'normalize', form: 'NFC' }] };
        const { status } = await ask('POST', `/api/v1/branches/${id}/events`, body);
        return { status: status === 201 ? 200 : status };
      };
    },
  ],
  [
    'an event of 130,000 lines is compared',
    async () => {
      const id = await forkOf(await save('<p>short</p>'));
      await append(id, 0, [{ kind: 'insert', at: 0, text: '\n'.repeat(130_000) }]);
      return () => ask('GET', `/api/v1/branches/${id}/compare?from=0`);
    },
  ],
  [
    'branches are audited',
    async () => {
      // Keeps only the branches of this test: auditing the others takes long.
      await database.sql`delete from media`;
      const id = await forkOf(await save7MB());
      await append(id, 0, Array(20).fill({ kind: 'normalize', form: 'NFC' }));
      const body = { job_type: 'integrity_audit', execution_mode: 'sync', payload: {} };
      return () => ask('POST', '/api/v1/jobs/submit', body);
    },
  ],
];

describe('health checks are answered while', () => {
  test.each(ATTACKS)('%s', { timeout: 300_000 }, async (_what, prepare) => {
    const attack = await prepare();
    const { result, statuses, waitedP95 } = await healthDuring(attack);
    expect(result.status).toBe(200);
    expect(statuses).toEqual([200]);
    expect(waitedP95).toBeLessThan(LONGEST_WAIT_MS);
  });
});
