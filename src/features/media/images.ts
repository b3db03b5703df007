import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Failure, NexusError } from '../../contract/errors.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Egress } from '../../platform/egress/egress.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { checkImage, LARGEST_IMAGE } from './image.ts';
import { parseMediaUrl } from './url.ts';

export interface ImagesDependencies {
  sql: Database;
  storage: Storage;
  egress: Pick<Egress, 'fetchBytes'>;
}

export interface ServedImage {
  contentType: string;
  content: Readable | Buffer;
}

export type Images = ReturnType<typeof createImages>;

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');

/** Images of pages, so that no reader's browser ever asks a foreign site. Kept by their content, fetched once. */
export function createImages({ sql, storage, egress }: ImagesDependencies) {
  async function fetchImage(url: string): Promise<ServedImage> {
    const { bytes } = await egress.fetchBytes(url, {
      headers: { accept: 'image/*' },
      limits: { bodyBytes: LARGEST_IMAGE },
    });
    const contentType = checkImage(bytes);
    const content = sha256(bytes);
    await storage.put(`images/${content}`, bytes, { contentType });
    await sql`
      insert into images (url_sha256, content_sha256, content_type)
      values (${sha256(url)}, ${content}, ${contentType})
      on conflict do nothing`;
    return { contentType, content: bytes };
  }

  return {
    async get(address: string): Promise<ServedImage> {
      const url = parseMediaUrl(address).href;
      const [known] = await sql<{ content_sha256: string; content_type: string }[]>`
        select content_sha256, content_type from images where url_sha256 = ${sha256(url)}`;
      const stored = known && (await storage.get(`images/${known.content_sha256}`));
      if (stored) return { contentType: known.content_type, content: stored.content };
      try {
        return await fetchImage(url);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.code === 'E_SSRF_BLOCKED' || error.code === 'E_INVALID_URL') {
          throw new NexusError(error.code, error.message);
        }
        throw new NexusError('E_NOT_FOUND', `The image cannot be shown: ${error.message}`);
      }
    },
  };
}
