import { afterAll, beforeAll, expect } from 'vitest';
import { type Answer, type CallOptions, call, DEV_KEYS } from '../support/call.ts';
import { type TestDatabase, useDatabase } from '../support/database.ts';
import { type Site, startSite } from '../support/internet.ts';
import { type NexusProcess, startNexus } from '../support/nexus-process.ts';
import { newDirectory } from '../support/workspace.ts';

type Handler = Parameters<typeof startSite>[0];

export interface RunningNexus {
  readonly url: string;
  /** The sign-in link that was printed for the first admin. */
  readonly signInLink: string;
  readonly database: TestDatabase;
  /** A local site to save pages from. */
  readonly site: Site;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Creates a user with an API key. */
  person(username: string, role?: string): Promise<{ id: string; username: string; key: string }>;
  /** Uploads an EPUB, waits until it can be read, and returns its id. */
  uploadBook(key: string, book: Buffer): Promise<string>;
}

/** Starts the built Nexus as a process, with its own database and a site to save pages from. */
export function useNexus(handler: Handler, environment: Record<string, string> = {}): RunningNexus {
  const database = useDatabase();
  let nexus: NexusProcess | undefined;
  let running: { url: string; signInLink: string; site: Site } | undefined;
  const started = () => {
    if (!running) throw new Error('Nexus starts before the first test.');
    return running;
  };

  beforeAll(async () => {
    const site = await startSite(handler);
    nexus = startNexus(['serve'], {
      env: {
        NEXUS_DATABASE_URL: database.url,
        NEXUS_DATA_DIR: await newDirectory('data'),
        NEXUS_EGRESS_ALLOW: site.host,
        NEXUS_LOG_LEVEL: 'warn',
        ...environment,
      },
    });
    const url = await nexus.ready();
    const [, signInLink = ''] = await nexus.prints(/Sign in +(\S+)/);
    running = { url: new URL(url).origin, signInLink, site };
  });
  afterAll(async () => {
    await nexus?.stop();
  });

  return {
    get url() {
      return started().url;
    },
    get signInLink() {
      return started().signInLink;
    },
    get site() {
      return started().site;
    },
    database,
    call: (method, path, options) => call(started().url, method, path, options),
    async person(username, role = 'researcher') {
      const admin = { key: DEV_KEYS.admin };
      const user = await call(started().url, 'POST', '/api/v1/users', {
        ...admin,
        body: { username, display_name: username, role },
      });
      if (user.status !== 201) throw new Error(`${username} was not created: ${JSON.stringify(user.body)}`);
      const key = await call(started().url, 'POST', '/api/v1/api-keys', {
        ...admin,
        body: { user_id: user.body.data.id, name: 'test' },
      });
      return { id: user.body.data.id, username, key: key.body.data.key };
    },
    async uploadBook(key, book) {
      const { url } = started();
      const begun = await call(url, 'POST', '/api/v1/media/upload/init', {
        key,
        body: {
          kind: 'epub',
          filename: 'book.epub',
          content_type: 'application/epub+zip',
          size_bytes: book.length,
        },
      });
      const { media_id, upload_url } = begun.body.data;
      await fetch(new URL(upload_url, url), { method: 'PUT', body: new Uint8Array(book) });
      await call(url, 'POST', `/api/v1/media/${media_id}/ingest`, { key });
      const status = async () =>
        (await call(url, 'GET', `/api/v1/media/${media_id}`, { key })).body.data.processing_status;
      await expect.poll(status, { timeout: 30_000 }).toMatch(/^ready/);
      return media_id;
    },
  };
}
