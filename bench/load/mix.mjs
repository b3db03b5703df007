// The mix of requests of `npm run bench -- load`.
import { oneOf } from '../random.mjs';
import { CHAPTERS } from './world.mjs';

/** How many of a hundred requests are of each kind. */
export const MIX = { 'a list of 50': 30, 'a media': 25, 'a chapter': 30, 'a search': 10, 'a save': 5 };

const WORDS = ['everywhere', 'w3', 'w50', 'w700', 'w9000'];

let saves = 0;

const REQUESTS = {
  'a list of 50': () => ({ path: '/api/v1/media?limit=50' }),
  'a media': ({ media }, random) => ({ path: `/api/v1/media/${oneOf(random, media)}` }),
  'a chapter': ({ books }, random) => ({
    path: `/api/v1/media/${oneOf(random, books)}/fragments/${Math.floor(random() * CHAPTERS)}`,
  }),
  'a search': (_, random) => ({ path: `/api/v1/search?q=${oneOf(random, WORDS)}&limit=20` }),
  'a save': () => ({
    method: 'POST',
    path: '/api/v1/media',
    body: JSON.stringify({ url: `https://example.org/${process.pid}/${saves++}` }),
  }),
};

/** Returns a function that makes the next request: its kind by the ratios of the mix, by any of the readers. */
export function mixedRequests(readers, random) {
  const kinds = Object.entries(MIX).flatMap(([kind, count]) => Array(count).fill(kind));
  return () => {
    const kind = oneOf(random, kinds);
    const reader = oneOf(random, readers);
    const { body, ...request } = REQUESTS[kind](reader, random);
    return {
      kind,
      body,
      ...request,
      headers: {
        'x-nexus-api-key': reader.key,
        'accept-encoding': 'br, gzip',
        ...(body && { 'content-type': 'application/json' }),
      },
    };
  };
}
