import type { JsonSchema } from './types.ts';

/** Stands for text that has no example. A test finds it. */
export const NO_EXAMPLE = '…';

const TIME = '2026-03-14T09:26:53.589Z';
const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const PAGE = 'https://example.org/articles/tides';

/** Example values by the name of a field or a parameter. Everywhere, a name has one meaning. */
const BY_NAME: Record<string, unknown> = {
  access_token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwMTllIn0.dBjftJeZ4CVP',
  action: 'api_key.created',
  actor: 'ada',
  after: 'MTg5MDotMDAx',
  agreement: 0.92,
  api_key: 'nxs_5Vd0bq1ZtJ3o',
  artifact_ref: null,
  artifact_type: 'analyze_result',
  aggregate_id: '019eb2a4-5c1d-7e3f-8a90-1b2c3d4e5f60',
  aggregate_type: 'media',
  author: 'Rachel Carson',
  canonical_text: 'The sea is never still.',
  canonical_url: PAGE,
  code: 'E_INVALID_REQUEST',
  concurrency: 10,
  confidence: 0.85,
  content_type: 'application/pdf',
  cover_url: '/api/v1/media/images?url=https%3A%2F%2Fexample.org%2Ftides.jpg',
  created_by: 'ada',
  current_password: 'correct horse battery staple',
  body: 'It is the same in my notes, @grace.',
  cursor: 'MDE5ZWIyYTQ',
  data: {},
  description: 'Why the tide comes in twice a day.',
  details: {},
  disabled_reason: 'It answered 410 Gone.',
  display_name: 'Ada Lovelace',
  element: 'n-page-12',
  error: 'timed out',
  error_code: 'E_TIMEOUT',
  error_message: 'The server did not answer within 30 seconds.',
  error_text: 'The server did not answer within 30 seconds.',
  event_type: 'media.ready',
  event_types: ['media.ready'],
  external_playback_url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
  fallback_reason: null,
  feature: 'media',
  filename: 'tides.pdf',
  form: 'NFC',
  fragment_title: 'The moving tides',
  html_sanitized: '<p>The sea is never still.</p>',
  idempotency_key: 'import-2026-03',
  invitee_username: 'grace',
  inviter_username: 'ada',
  failure_stage: 'extract',
  job_type: 'ingest_batch',
  kind: 'web_article',
  openapi: '3.1.0',
  primary: 'deterministic',
  shadow: 'ml',
  key: 'nxs_5Vd0bq1ZtJ3oGm2yXw7cLr8nPq4sUa6e',
  media_title: 'Why the tide comes in twice a day',
  label: 'Bay of Fundy',
  language: 'en',
  large: '/api/v1/media/019eb2a4-5c1d-7e3f-8a90-1b2c3d4e5f60/assets/thumbnail-5a1f0c2b9e8d7f60-large.webp',
  last_error_code: 'E_TIMEOUT',
  last_error_message: 'The page did not answer within 30 seconds.',
  lease_owner: 'reader-1:4242:7f3a',
  library_ids: '019eb2a4-5c1d-7e3f-8a90-1b2c3d4e5f60',
  library_name: 'Oceanography',
  message: 'url must not be empty.',
  name: 'Oceanography',
  new_password: 'correct horse battery staple',
  next_cursor: 'MDE5ZWIyYTQ',
  own_title: 'Tides, explained',
  imported_title: 'Tides, explained',
  exact: 'twice a day',
  suffix: ', and the moon is the reason.',
  note: 'Found twice in the first paragraph.',
  owner: 'ada',
  password: 'correct horse battery staple',
  path: 'url',
  permanently: 'true',
  patterns: [],
  prefix: 'nxs_5Vd0',
  progress: 0.42,
  provider: 'youtube',
  provider_id: 'dQw4w9WgXcQ',
  provider_name: 'deterministic',
  provider_version: '1.0.0',
  published: '2025-11-02',
  q: 'tide "bay of fundy" -fishing',
  queue: 'ingest',
  reason: 'It answered 410 Gone.',
  refresh_token: 'nxr_8c1f0d2e3b4a',
  request_body: '{"specversion":"1.0","type":"media.ready"}',
  request_id: '019eb2a4-5c1d-7e3f-8a90-1b2c3d4e5f61',
  requestid: '019eb2a4-5c1d-7e3f-8a90-1b2c3d4e5f61',
  requested_url: `${PAGE}?utm_source=mail`,
  response_body: 'ok',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  sign_in_token: '5Vd0bq1ZtJ3oGm2yXw7cLr8n',
  site: 'example.org',
  small: '/api/v1/media/019eb2a4-5c1d-7e3f-8a90-1b2c3d4e5f60/assets/thumbnail-5a1f0c2b9e8d7f60-small.webp',
  source: 'https://nexus.example.org',
  source_url: PAGE,
  source_library_name: 'Oceanography',
  storage_path: 'media/019eb2a4-5c1d-7e3f-8a90-1b2c3d4e5f60/original.pdf',
  subject: 'media/019eb2a4-5c1d-7e3f-8a90-1b2c3d4e5f60',
  styles: '@layer book{.b-line{position:absolute;top:30px}}@layer own{}',
  subscriber: 'webhooks',
  summary: 'Fetched and extracted in 1.2 seconds.',
  tag: 'oceans/tides',
  library_tag: 'oceans/tides',
  terms: ['confidential'],
  text: 'The sea is never still.',
  text_hash: SHA256,
  text_sha256: SHA256,
  title: 'Why the tide comes in twice a day',
  token: 'eyJwYXRoIjoibWVkaWEvMDE5ZSJ9.5Vd0bq1Z',
  type: 'media.ready',
  types: 'media.ready,media.failed',
  unified: '@@ -1 +1 @@\n-The sea is still.\n+The sea is never still.\n',
  upload_url: 'https://nexus.example.org/api/v1/media/upload?token=eyJwYXRoIjoi',
  url: PAGE,
  username: 'ada',
  version: '1.0.0',
  worker: 'reader-1:4242:7f3a',
  word_count: 1240,
  reading_minutes: 6,
  limit: 50,
  status: 'ready',
};

/** Fields that are usually null where they may be. */
const USUALLY_NULL =
  /^(failed|disabled|finished|delivered|failing)_(at|since|reason)$|error|failure_stage|next_cursor|^shadow|parent_|responded_at|fallback_reason|lease_|provider|playback|page_count|t_(start|end)_ms|quota|requests_per_minute|^(library|layout|book|printed_pages)$/;

/** Returns an example of what a schema describes, from the examples of its parts. */
export function exampleOf(schema: JsonSchema, named: Record<string, JsonSchema>, name = ''): unknown {
  if (schema.examples) return schema.examples[0];
  const isNullable =
    [schema.type].flat().includes('null') || schema.anyOf?.some(({ type }) => type === 'null');
  if (isNullable && USUALLY_NULL.test(name)) return null;
  if (schema.$ref) return exampleOf(named[schema.$ref.split('/').at(-1) ?? ''] ?? {}, named, name);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.includes(BY_NAME[name]) ? BY_NAME[name] : schema.enum[0];
  const [option] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (option) return exampleOf(option, named, name);
  const type = [schema.type].flat()[0];
  if (type === 'object') return exampleObject(schema, named, name);
  if (type === 'array') {
    const given = BY_NAME[name];
    return Array.isArray(given) ? given : [exampleOf(schema.items ?? {}, named, singular(name))];
  }
  if (type === 'boolean') return /^(is_|can_|created|enqueued|has_text)/.test(name);
  if (type === 'integer' || type === 'number') return exampleNumber(schema, name);
  if (type === 'string') return exampleText(schema, name);
  return BY_NAME[name] ?? null;
}

function exampleObject(schema: JsonSchema, named: Record<string, JsonSchema>, name: string): unknown {
  if (!schema.properties) return typeof BY_NAME[name] === 'object' ? BY_NAME[name] : {};
  const shown = Object.entries(schema.properties).filter(
    ([key, { deprecated }]) => schema.required?.includes(key) || (!deprecated && isSimple(schema, key)),
  );
  return Object.fromEntries(shown.map(([key, field]) => [key, exampleOf(field, named, key)]));
}

/** Of optional fields, an example shows one at most where a schema asks for one of several. */
function isSimple({ properties = {} }: JsonSchema, key: string): boolean {
  const others: Record<string, string> = {
    document_id: 'media_id',
    branch_id: 'media_id',
    user_id: 'username',
    invitee_user_id: 'invitee_username',
    filter: 'job_ids',
    position: 'branch_id',
    expires_at: 'name',
    run_at: 'job_type',
  };
  const preferred = others[key];
  if (key === 'cursor' && 'job_ids' in properties) return false;
  return preferred === undefined || !(preferred in properties);
}

function exampleNumber({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema, name: string): number {
  const given = BY_NAME[name];
  const number = typeof given === 'number' ? given : 3;
  return Math.min(Math.max(number, minimum), maximum);
}

function exampleText(schema: JsonSchema, name: string): unknown {
  if (schema.format === 'date-time') return TIME;
  if (schema.format === 'uuid' || schema.format === 'guid') return uuidFor(name);
  return Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : NO_EXAMPLE;
}

/** The same id for the same name, and another one for another name. */
function uuidFor(name: string): string {
  const sum = [...name].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 65_536, 7);
  return `019eb2a4-5c1d-7e3f-8a90-1b2c3d4e${sum.toString(16).padStart(4, '0')}`;
}

function singular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/s$/, '');
}
