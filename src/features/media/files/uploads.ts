import type { Readable } from 'node:stream';
import { type ErrorCode, NexusError } from '../../../contract/errors.ts';
import type { Actor } from '../../../platform/audit/audit.ts';
import type { Database, Transaction } from '../../../platform/database/database.ts';
import { installationSecret } from '../../../platform/database/installation-secret.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import { signUpload, verifyUpload } from '../../../platform/storage/signed-upload.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { mayRead, type Viewer } from '../../libraries/access/can-read-media.ts';
import { addToDefaultLibrary } from '../../libraries/closure/closure.ts';
import { lockContents } from '../../libraries/closure/lock-contents.ts';
import { tellMedia } from '../events.ts';
import { mediaNotFound } from '../media.ts';
import { failMedia } from '../processing/fail-media.ts';
import type { Ingest } from '../processing/ingest.ts';
import { retryIfFailed } from '../processing/lifecycle.ts';
import { deleteMedia } from '../saving/known-media.ts';
import * as store from '../store.ts';
import type { Quota } from './quota.ts';
import { setStoredBytes } from './quota-store.ts';
import { createReceiveUpload, uploadExpired } from './receive-upload.ts';
import { beginsLike, UPLOAD_KINDS, type UploadKind, uploadKind } from './upload-kinds.ts';
import * as uploads from './upload-store.ts';

const UNIQUE_VIOLATION = '23505';
/** How long the upload URL can be used. */
const UPLOAD_SECONDS = 5 * 60;
/** How long an upload stays open: a large file that was begun in time may take longer to arrive. */
const OPEN_SECONDS = 15 * 60;
const LARGEST_FILE = 100 * 1024 * 1024;

export interface UploadsDependencies {
  sql: Database;
  log: Logger;
  storage: Storage;
  quota: Pick<Quota, 'requireRoom'>;
  ingest: Pick<Ingest, 'maybeEnqueueExtraction' | 'enqueueEmbedding'>;
}

export interface IngestedUpload {
  media_id: string;
  duplicate: boolean;
  enqueued: boolean;
}

export type Uploads = ReturnType<typeof createUploads>;

/** A file comes in three steps: the upload is begun, the file is put, and Nexus takes it in. */
export function createUploads({ sql, log, storage, quota, ingest }: UploadsDependencies) {
  const uploadKey = installationSecret(sql, 'uploads');
  const receive = createReceiveUpload({ sql, storage });

  return {
    /** Where browsers put files when it is not here. */
    origin: () => storage.uploadOrigin(),

    async begin(
      viewer: Viewer,
      announced: { kind: string; filename: string; content_type: string; size_bytes: number },
    ) {
      const kind = uploadKind(announced.kind);
      const { contentTypes, extension } = UPLOAD_KINDS[kind];
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
        await lockContents(tx, [viewer.default_library_id]);
        await quota.requireRoom(tx, viewer.user_id, grant.size);
        await store.insertUploadedMedia(tx, {
          id: mediaId,
          kind,
          title: announced.filename.replace(/\.(pdf|epub)$/i, '') || announced.filename,
          created_by_user_id: viewer.user_id,
          stored_bytes: grant.size,
        });
        const upload = { media_id: mediaId, user_id: viewer.user_id, path };
        await uploads.insertUpload(
          tx,
          { ...upload, content_type: contentType, size_bytes: grant.size },
          OPEN_SECONDS,
        );
        await addToDefaultLibrary(tx, viewer.default_library_id, mediaId, viewer.user_id);
        await tellMedia(tx, 'media.created', mediaId, {});
      });
      const expiresAt = new Date(Date.now() + UPLOAD_SECONDS * 1000);
      const direct = await storage.directUpload(landingOf(mediaId), {
        ...grant,
        expiresInSeconds: UPLOAD_SECONDS,
      });
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

    /** Receives the file of an upload. The token is good for one file, within five minutes. */
    async put(token: string, content: Readable): Promise<void> {
      const grant = verifyUpload(await uploadKey(), token, Date.now());
      const upload = grant && (await uploads.findUploadAt(sql, grant.path));
      if (!upload) uploadExpired();
      await receive(upload, content);
    },

    /**
     * Checks what was put, and puts it on its way. A file that this person has already answers with that media. Asking
     * again gives the same answer.
     */
    async ingest(viewer: Viewer, mediaId: string, actor: Actor): Promise<IngestedUpload> {
      const upload = await uploads.findUpload(sql, mediaId);
      if (upload?.user_id !== viewer.user_id) return ingestWithoutUpload(viewer, mediaId);
      if (upload.status !== 'open') return answerOf(viewer, upload);
      const source = (await mayRead(sql, viewer, mediaId)) && (await store.findSource(sql, mediaId));
      if (!source) mediaNotFound();
      const kind = uploadKind(source.kind);
      if (upload.received_at === null) await takeFromLanding(upload, kind);
      if (!(await beginsLike(kind, storage, upload.path))) await refuse(upload, kind, { received: true });
      const taken = await takeIn(viewer, mediaId, kind, actor).catch((error) => {
        // The same file, put twice, is taken in at this moment: by now it is known.
        if (error.code === UNIQUE_VIOLATION) return takeIn(viewer, mediaId, kind, actor);
        throw error;
      });
      await storage.delete(landingOf(mediaId));
      // The file of a duplicate, or one that was refused.
      if (taken.outcome_media_id !== mediaId) await storage.delete(upload.path);
      return answerOf(viewer, taken);
    },
  };

  /** Somebody else's upload, or one that ended so long ago that only its media is left. */
  async function ingestWithoutUpload(viewer: Viewer, mediaId: string): Promise<IngestedUpload> {
    const source = (await mayRead(sql, viewer, mediaId)) && (await store.findSource(sql, mediaId));
    if (!source) mediaNotFound();
    if (source.created_by_user_id !== viewer.user_id) {
      throw new NexusError('E_FORBIDDEN', 'Only the person who began an upload can end it.');
    }
    uploadKind(source.kind);
    if (source.file_path === null) uploadExpired();
    return { media_id: mediaId, duplicate: false, enqueued: true };
  }

  /** Repeats the answer of an upload that is over. */
  async function answerOf(viewer: Viewer, upload: uploads.Upload): Promise<IngestedUpload> {
    const { outcome_media_id, error_code, error_message } = upload;
    if (outcome_media_id === null) {
      if (upload.status === 'expired') uploadExpired();
      throw new NexusError(error_code as ErrorCode, error_message ?? '');
    }
    if (!(await mayRead(sql, viewer, outcome_media_id))) mediaNotFound();
    const duplicate = outcome_media_id !== upload.media_id;
    return { media_id: outcome_media_id, duplicate, enqueued: !duplicate };
  }

  /**
   * A file that the browser sent to the store itself is copied to where its upload URL cannot write. Its type is looked at
   * first, so that nobody has large files of another type copied.
   */
  async function takeFromLanding(upload: uploads.Upload, kind: UploadKind): Promise<void> {
    const landing = landingOf(upload.media_id);
    const isKind = await beginsLike(kind, storage, landing);
    if (isKind === false) return refuse(upload, kind, { received: false });
    const stored = (isKind && (await storage.get(landing))) || nothingUploaded();
    await receive(upload, stored.content).catch((error) => {
      // Somebody who asked at the same time has copied it.
      if (!(error instanceof NexusError) || error.code !== 'E_UPLOAD_SPENT') throw error;
    });
  }

  /** Ends an upload whose file is not what its kind says, unless somebody else has ended it, or copied a better one. */
  async function refuse(
    { media_id }: uploads.Upload,
    kind: UploadKind,
    { received }: { received: boolean },
  ): Promise<void> {
    const failure = {
      code: 'E_INVALID_FILE_TYPE',
      message: `The file is not ${kind === 'pdf' ? 'a PDF' : 'an EPUB'}. Upload another one.`,
    } as const;
    await transaction(sql, async (tx) => {
      const upload = await uploads.lockUpload(tx, media_id);
      if (upload?.status !== 'open' || (upload.received_at !== null) !== received) return;
      await uploads.closeUpload(tx, media_id, 'refused', failure);
      await failMedia(tx, media_id, { stage: 'upload', ...failure }, log);
      await setStoredBytes(tx, media_id, 0);
    });
  }

  /** Under the lock of the upload, so that of several who ask at once one takes the file in and all hear the same. */
  function takeIn(viewer: Viewer, mediaId: string, kind: UploadKind, actor: Actor): Promise<uploads.Upload> {
    return transaction(sql, async (tx) => {
      await lockContents(tx, [viewer.default_library_id]);
      const upload = (await uploads.lockUpload(tx, mediaId)) ?? mediaNotFound();
      if (upload.status !== 'open') return upload;
      if (upload.sha256 === null) nothingUploaded();
      const known = await store.findByFile(tx, viewer.user_id, kind, upload.sha256);
      const outcome = known ?? mediaId;
      if (known) {
        await addToDefaultLibrary(tx, viewer.default_library_id, known, viewer.user_id);
        await deleteMedia(tx, mediaId);
        await retryKnown(tx, known, kind, actor);
      } else {
        const { path, size_bytes: size, sha256 } = upload;
        const content_type = UPLOAD_KINDS[kind].contentTypes[0];
        await store.setFile(tx, mediaId, { path, content_type, size, sha256 });
        // The file's room was taken when the upload began; the quota may have been lowered since.
        await quota.requireRoom(tx, viewer.user_id, 0);
        await ingest.maybeEnqueueExtraction(tx, kind, mediaId, jobOptions(actor));
      }
      await uploads.markTakenIn(tx, mediaId, outcome);
      return { ...upload, status: 'taken_in', outcome_media_id: outcome };
    });
  }

  /** Uploading a file again that could not be read the first time tries it again. */
  async function retryKnown(tx: Transaction, known: string, kind: UploadKind, actor: Actor): Promise<void> {
    const from = await retryIfFailed(tx, known);
    if (from === 'pending') await ingest.maybeEnqueueExtraction(tx, kind, known, jobOptions(actor));
    if (from === 'ready_for_reading') await ingest.enqueueEmbedding(tx, known, jobOptions(actor));
  }
}

function nothingUploaded(): never {
  throw new NexusError('E_STORAGE_MISSING', 'Nothing was uploaded. Put the file to upload_url first.');
}

function jobOptions(actor: Actor) {
  return { requestId: actor.requestId, createdBy: actor };
}

/** Where a browser puts a file that does not come through Nexus. */
function landingOf(mediaId: string): string {
  return `media/${mediaId}/landing`;
}
