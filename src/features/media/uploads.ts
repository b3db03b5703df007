import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { NexusError } from '../../contract/errors.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import { installationSecret } from '../../platform/database/installation-secret.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { signUpload, verifyUpload } from '../../platform/storage/signed-upload.ts';
import { type Storage, UnexpectedSize } from '../../platform/storage/storage.ts';
import { mayRead, type Viewer } from '../libraries/can-read-media.ts';
import { addToDefaultLibrary } from '../libraries/closure.ts';
import { tellMedia } from './events.ts';
import type { Ingest } from './ingest.ts';
import { deleteMedia } from './known-media.ts';
import { mediaNotFound } from './media.ts';
import * as store from './store.ts';

const UNIQUE_VIOLATION = '23505';
const UPLOAD_SECONDS = 5 * 60;
const LARGEST_FILE = 100 * 1024 * 1024;

/** What each kind is sent as, and how its files begin. */
const KINDS = {
  pdf: { contentTypes: ['application/pdf'], extension: 'pdf', begins: '%PDF-' },
  epub: { contentTypes: ['application/epub+zip'], extension: 'epub', begins: 'PK\x03\x04' },
} as const;
type UploadKind = keyof typeof KINDS;

export interface UploadsDependencies {
  sql: Database;
  storage: Storage;
  ingest: Pick<Ingest, 'maybeEnqueueExtraction'>;
}

export type Uploads = ReturnType<typeof createUploads>;

/** A file comes in three steps: it is announced, put, and taken in. */
export function createUploads({ sql, storage, ingest }: UploadsDependencies) {
  const uploadKey = installationSecret(sql, 'uploads');

  return {
    /** Where browsers put files when it is not here. */
    origin: () => storage.uploadOrigin(),

    async begin(
      viewer: Viewer,
      announced: { kind: string; filename: string; content_type: string; size_bytes: number },
    ) {
      const kind = uploadKind(announced.kind);
      const { contentTypes, extension } = KINDS[kind];
      const contentType = announced.content_type.toLowerCase();
      if (!(contentTypes as readonly string[]).includes(contentType)) {
        throw new NexusError(
          'E_INVALID_CONTENT_TYPE',
          `A file of the kind ${kind} is sent as ${contentTypes[0]}.`,
        );
      }
      if (announced.size_bytes > LARGEST_FILE) {
        throw new NexusError('E_FILE_TOO_LARGE', `Files may have up to ${LARGEST_FILE / 1024 / 1024} MB.`);
      }
      const mediaId = newId();
      const path = `media/${mediaId}/original.${extension}`;
      const grant = { contentType, size: announced.size_bytes };
      await transaction(sql, async (tx) => {
        const title = announced.filename.replace(/\.(pdf|epub)$/i, '') || announced.filename;
        await store.insertUpload(tx, { id: mediaId, kind, title, created_by_user_id: viewer.user_id });
        await addToDefaultLibrary(tx, viewer.default_library_id, mediaId, viewer.user_id);
        await tellMedia(tx, 'media.created', mediaId, {});
      });
      const expiresAt = new Date(Date.now() + UPLOAD_SECONDS * 1000);
      const direct = await storage.directUpload(path, { ...grant, expiresInSeconds: UPLOAD_SECONDS });
      const token = signUpload(await uploadKey(), { ...grant, path, expiresAt: expiresAt.getTime() });
      const target = direct ?? {
        url: `/media/upload?token=${token}`,
        headers: { 'content-type': contentType },
      };
      return {
        media_id: mediaId,
        storage_path: path,
        upload_url: target.url,
        upload_headers: target.headers,
        expires_at: expiresAt,
      };
    },

    /** Whoever has the token may put this one file, for five minutes. */
    async put(token: string, content: Readable): Promise<void> {
      const grant = verifyUpload(await uploadKey(), token, Date.now());
      if (!grant)
        throw new NexusError('E_UPLOAD_EXPIRED', 'The time for this upload is over. Begin a new one.');
      try {
        await storage.put(grant.path, content, { contentType: grant.contentType, size: grant.size });
      } catch (error) {
        if (!(error instanceof UnexpectedSize)) throw error;
        throw new NexusError(
          'E_FILE_TOO_LARGE',
          `The file does not have the ${grant.size} bytes that were announced.`,
        );
      }
    },

    /** Looks at what was put, and puts it on its way. A file that this person has already is theirs a first time only. */
    async ingest(viewer: Viewer, mediaId: string, actor: Actor) {
      const source = (await mayRead(sql, viewer, mediaId)) && (await store.findSource(sql, mediaId));
      if (!source) mediaNotFound();
      if (source.created_by_user_id !== viewer.user_id) {
        throw new NexusError('E_FORBIDDEN', 'Only who began an upload can end it.');
      }
      const kind = uploadKind(source.kind);
      if (source.file_path !== null) return { media_id: mediaId, duplicate: false, enqueued: false };
      const path = `media/${mediaId}/original.${KINDS[kind].extension}`;
      const file = await examine(path, kind);
      const known = await takeIn(viewer, mediaId, kind, file, actor).catch((error) => {
        // The same file, put twice, is taken in at this moment: by now it is known.
        if (error.code === UNIQUE_VIOLATION) return takeIn(viewer, mediaId, kind, file, actor);
        throw error;
      });
      if (known) await storage.delete(path);
      return { media_id: known ?? mediaId, duplicate: known !== undefined, enqueued: known === undefined };
    },
  };

  /** The media that this person has of the same file, in whose favour this one is gone. */
  function takeIn(
    viewer: Viewer,
    mediaId: string,
    kind: UploadKind,
    file: store.StoredMediaFile,
    actor: Actor,
  ): Promise<string | undefined> {
    return transaction(sql, async (tx) => {
      const known = await store.findByFile(tx, viewer.user_id, kind, file.sha256);
      if (known) {
        await addToDefaultLibrary(tx, viewer.default_library_id, known, viewer.user_id);
        await deleteMedia(tx, mediaId);
        return known;
      }
      await store.setFile(tx, mediaId, file);
      const options = { requestId: actor.requestId, createdBy: actor };
      await ingest.maybeEnqueueExtraction(tx, kind, mediaId, options);
      return undefined;
    });
  }

  async function examine(path: string, kind: UploadKind): Promise<store.StoredMediaFile> {
    const stored = await storage.get(path);
    if (!stored)
      throw new NexusError('E_STORAGE_MISSING', 'Nothing was uploaded. Put the file to upload_url first.');
    const hash = createHash('sha256');
    let head = Buffer.alloc(0);
    let size = 0;
    for await (const chunk of stored.content as AsyncIterable<Buffer>) {
      if (head.length < 1024) head = Buffer.concat([head, chunk]).subarray(0, 1024);
      size += chunk.length;
      if (size > LARGEST_FILE)
        throw new NexusError('E_FILE_TOO_LARGE', 'The file is larger than Nexus takes.');
      hash.update(chunk);
    }
    const { begins, contentTypes } = KINDS[kind];
    // A PDF may have a little before its first line; an archive begins at once.
    const isKind = kind === 'pdf' ? head.includes(begins) : head.toString('latin1').startsWith(begins);
    if (!isKind) throw new NexusError('E_INVALID_FILE_TYPE', `The file is no ${kind.toUpperCase()}.`);
    return { path, content_type: contentTypes[0], size, sha256: hash.digest('hex') };
  }
}

function uploadKind(kind: string): UploadKind {
  if (kind === 'pdf' || kind === 'epub') return kind;
  throw new NexusError(
    'E_INVALID_KIND',
    'kind takes pdf or epub; pages and videos are saved by their address.',
  );
}
