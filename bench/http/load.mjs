// Sends requests over a fixed number of connections, and measures how many are answered and how fast.
import http from 'node:http';

/**
 * Sends requests for `seconds`, each connection the next one when it has its answer.
 * `next(n)` returns method, path, headers and body of the n-th request.
 */
export async function load({ port, connections, seconds, next }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const latencies = [];
  const statuses = {};
  let bytes = 0;
  let sent = 0;
  const end = performance.now() + seconds * 1000;
  const start = performance.now();
  const connection = async () => {
    while (performance.now() < end) {
      const { method = 'GET', path, headers, body } = next(sent++);
      const began = performance.now();
      const answer = await ask({ agent, port, method, path, headers, body });
      latencies.push(performance.now() - began);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      bytes += answer.bytes;
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  const elapsed = (performance.now() - start) / 1000;
  agent.destroy();
  latencies.sort((a, b) => a - b);
  return {
    per_second: Math.round(latencies.length / elapsed),
    p50_ms: round(latencies[Math.floor(latencies.length * 0.5)]),
    p99_ms: round(latencies[Math.floor(latencies.length * 0.99)]),
    bytes_each: Math.round(bytes / latencies.length),
    statuses,
  };
}

/** Sends one request, and returns its status, headers and size on the wire. */
export function ask({ agent, port, method = 'GET', path, headers = {}, body }) {
  return new Promise((resolve, reject) => {
    const request = http.request({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
      const chunks = [];
      let bytes = 0;
      response.on('data', (chunk) => {
        bytes += chunk.length;
        chunks.push(chunk);
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          bytes,
          body: Buffer.concat(chunks),
        }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

function round(value) {
  return Number(value.toFixed(2));
}
