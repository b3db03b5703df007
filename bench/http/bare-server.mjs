// A bare Fastify route with one prepared query by primary key: what any read costs at least on this machine.
import Fastify from 'fastify';
import pg from 'pg';

const { BENCH_DATABASE: connectionString, BENCH_POOL_SIZE: poolSize } = process.env;
const pool = new pg.Pool({ connectionString, max: Number(poolSize) });
const server = Fastify();
const text = 'select id, username, display_name, role, created_at from users where id = $1';
server.get('/users/:id', async (request) => {
  const { rows } = await pool.query({ name: 'user', text, values: [request.params.id] });
  return rows[0];
});
await server.listen({ host: '127.0.0.1', port: 0 });
process.send({ port: server.server.address().port });
