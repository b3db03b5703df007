// Bare Fastify routes with one prepared query each. `/users/:id` is what any read costs at least on this machine; the others
// send as much as Nexus's answers of the same name, without checking who may read it, and without the reader's own data.
import Fastify from 'fastify';
import pg from 'pg';

const { BENCH_DATABASE: connectionString, BENCH_POOL_SIZE: poolSize } = process.env;
const pool = new pg.Pool({ connectionString, max: Number(poolSize) });
const server = Fastify();

const MEDIA_COLUMNS = `
  media.id, kind, title, processing_status, failure_stage, last_error_code, last_error_message, processing_attempts,
  processing_started_at, processing_completed_at, failed_at, canonical_url, provider, provider_id, external_playback_url,
  author, site, language, published, description, word_count, reading_minutes, page_count, is_link, media.created_at,
  media.updated_at, cover, thumbnail`;

const ROUTES = {
  '/users/:id': 'select id, username, display_name, role, created_at from users where id = $1',
  '/media/:id': `select ${MEDIA_COLUMNS}, outline from media where id = $1`,
  '/fragments/:id/:idx': `
    select id, idx, title, html_sanitized, canonical_text, t_start_ms, t_end_ms
    from media_fragments
    where media_id = $1 and idx = $2`,
  '/libraries/:id/media': `
    select ${MEDIA_COLUMNS}
    from library_media
    join media on media.id = library_media.media_id
    where library_id = $1
    order by library_media.created_at desc, media_id desc
    limit 50`,
};

for (const [route, text] of Object.entries(ROUTES)) {
  server.get(route, async ({ params }) => {
    const { rows } = await pool.query({ name: route, text, values: Object.values(params) });
    return { data: rows };
  });
}
await server.listen({ host: '127.0.0.1', port: 0 });
process.send({ port: server.server.address().port });
