import type { Readable } from 'node:stream';
import { type ErrorCode, NexusError } from '../../../contract/errors.ts';
import { API } from '../../../contract/wire.ts';
import type { Actor } from '../../../platform/audit/audit.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { installationSecret } from '../../../platform/database/installation-secret.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import { signUpload, verifyUpload } from '../../../platform/storage/signed-upload.ts';
import type { Platform } from '../../feature.ts';
import { mediaNotFound, requireReadable } from '../../libraries/access/access.ts';
import type { Viewer } from '../../libraries/access/can-read-media.ts';
import { holdMedia, lockContents, lockListings } from '../../libraries/closure/lock-contents.ts';
import { addMedia, type LibraryMediaService } from '../../libraries/library-media.ts';
import { emitMediaEvents } from '../events.ts';
import type { Ingest } from '../processing/ingest.ts';
import { markFailed } from '../processing/lifecycle.ts';
import { type OnReplace, replaceByKnown } from '../saving/unite-media.ts';
import * as store from '../store.ts';
import type { Quota } from './quota.ts';
import { setStoredBytes } from './quota-store.ts';
import * as uploads from './upload-store.ts';
import * as file from './uploaded-file.ts';

const UNIQUE_VIOLATION = '23505';
/** The lifetime of an upload URL. */
const UPLOAD_SECONDS = 5 * 60;
/** How long an upload stays open. It is longer than the URL's lifetime, because a large file takes time to arrive. */
const OPEN_SECONDS = 15 * 60;
const LARGEST_FILE = 100 * 1024 * 1024;

interface UploadsDependencies extends Pick<Platform, 'sql' | 'log' | 'storage'> {
  quota: Pick<Quota, 'requireRoom'>;
  ingest: Pick<Ingest, 'maybeEnqueueExtraction' | 'enqueueProcessing'>;
  libraryMedia: Pick<LibraryMediaService, 'add'>;
  onReplace: OnReplace;
  /** Where clients reach this server, when it is configured. */
  publicUrl: string | undefined;
}

export type Uploads = ReturnType<typeof createUploads>;

/** Uploads have three steps: `begin` announces the file, `put` receives it, `ingest` checks and processes it. */
export function createUploads(dependencies: UploadsDependencies) {
  const { sql, log, storage, quota, ingest, libraryMedia, onReplace, publicUrl = '' } = dependencies;
  const uploadKey = installationSecret(sql, 'uploads');

  return {
    requireReadable: (viewer: Viewer, mediaId: string) => requireReadable(sql, viewer, mediaId),

    /** The origin that browsers upload to when files do not go through Nexus. */
    origin: () => storage.uploadOrigin(),

    async begin(
      viewer: Viewer,
      announced: { kind: string; filename: string; content_type: string; size_bytes: number },
      actor: Actor,
    ) {
      const kind = file.uploadKind(announced.kind);
      const contentType = announced.content_type.toLowerCase();
      if (contentType !== file.UPLOAD_KINDS[kind].contentType) {
        throw new NexusError(
          'E_INVALID_CONTENT_TYPE',
          `Upload a file of kind ${kind} with the content type ${file.UPLOAD_KINDS[kind].contentType}.`,
        );
      }
      if (announced.size_bytes > LARGEST_FILE) {
        throw new NexusError('E_FILE_TOO_LARGE', `Files can be up to ${LARGEST_FILE / 1024 / 1024} MB.`);
      }
      const mediaId = newId();
      const path = `media/${mediaId}/original.${kind}`;
      const grant = { contentType, size: announced.size_bytes };
      await transaction(
        sql,
        async (tx) => {
          await lockContents(tx, [viewer.default_library_id]);
          await quota.requireRoom(tx, viewer.user_id, grant.size);
          const title = announced.filename.replace(/\.(pdf|epub)$/i, '') || announced.filename;
          const upload = { media_id: mediaId, user_id: viewer.user_id, kind, title, path, ...grant };
          await uploads.insertUpload(tx, upload, OPEN_SECONDS);
          await addMedia(tx, viewer, {
            libraryId: viewer.default_library_id,
            media: [{ media_id: mediaId }],
          });
          const created = { media_id: mediaId, kind, created_by_user_id: viewer.user_id };
          await emitMediaEvents(tx, 'media.created', [created]);
        },
        actor,
      );
      const expiresAt = new Date(Date.now() + UPLOAD_SECONDS * 1000);
      const expiring = { ...grant, expiresInSeconds: UPLOAD_SECONDS };
      const direct = await storage.directUpload(landingOf(mediaId), expiring);
      const token = signUpload(await uploadKey(), { ...grant, path, expiresAt: expiresAt.getTime() });
      return {
        media_id: mediaId,
        storage_path: path,
        upload_url: direct?.url ?? `${publicUrl}${API}/media/upload?token=${token}`,
        upload_headers: direct?.headers ?? { 'content-type': contentType },
        expires_at: expiresAt,
      };
    },

    /** Receives the file of an upload. A token can be used for one file. */
    async put(token: string, content: Readable): Promise<void> {
      const grant = verifyUpload(await uploadKey(), token, Date.now());
      const upload = grant && (await uploads.findUploadAt(sql, grant.path));
      if (!upload) file.uploadExpired();
      await file.receiveUpload({ sql, storage }, upload, content);
    },

    /**
     * Checks the file and enqueues its extraction, and adds it to a library if one is given. Uploading a file twice
     * returns the existing media. A repeated call returns the same answer.
     */
    async ingest(viewer: Viewer, mediaId: string, libraryId: string | undefined, actor: Actor) {
      // Read before the upload: a parallel request that ends the upload of a duplicate deletes its media.
      const source = await store.findSource(sql, mediaId, viewer);
      const upload = await uploads.findUpload(sql, mediaId);
      if (upload?.user_id !== viewer.user_id || upload.status !== 'open') {
        const isTheirs = upload?.user_id === viewer.user_id;
        const answer = await (isTheirs ? answerOf(viewer, upload) : ingestWithoutUpload(viewer, mediaId));
        if (libraryId !== undefined) await libraryMedia.add(viewer, libraryId, answer.media_id, actor);
        return answer;
      }
      const kind = file.uploadKind((source ?? mediaNotFound()).kind);
      if (upload.received_at === null) await takeFromLanding(upload, kind);
      if (!(await file.beginsLike(kind, storage, upload.path))) await refuse(mediaId, kind, true);
      const accept = () => acceptFile(viewer, { mediaId, kind, libraryId }, actor);
      const taken = await accept().catch((error) => {
        // Another upload of the same file was accepted in parallel, so this one is now a duplicate.
        if (error.code === UNIQUE_VIOLATION) return accept();
        throw error;
      });
      await deleteLeftovers(upload, taken);
      return answerOf(viewer, taken);
    },
  };

  /** Deletes the file at its landing, and that of a duplicate or a refused upload. The upload has ended, whatever happens. */
  async function deleteLeftovers({ media_id, path }: uploads.Upload, { outcome_media_id }: uploads.Upload) {
    const paths = outcome_media_id === media_id ? [landingOf(media_id)] : [landingOf(media_id), path];
    for (const left of paths)
      await storage.delete(left).catch((error) => log.error({ err: error, left }, 'a file was not deleted'));
  }

  /** Answers for an upload that is somebody else's, or so old that only its media is left. */
  async function ingestWithoutUpload(viewer: Viewer, mediaId: string) {
    const source = (await store.findSource(sql, mediaId, viewer)) ?? mediaNotFound();
    if (source.created_by_user_id !== viewer.user_id) {
      throw new NexusError('E_FORBIDDEN', 'Only the person who started an upload can finish it.');
    }
    file.uploadKind(source.kind);
    if (source.file_path === null) file.uploadExpired();
    return { media_id: mediaId, duplicate: false, enqueued: true };
  }

  /** Repeats the answer of an upload that has ended. */
  async function answerOf(viewer: Viewer, upload: uploads.Upload) {
    const { outcome_media_id, error_code, error_message } = upload;
    if (outcome_media_id === null) {
      if (upload.status === 'expired') file.uploadExpired();
      throw new NexusError(error_code as ErrorCode, error_message ?? '');
    }
    await requireReadable(sql, viewer, outcome_media_id);
    const duplicate = outcome_media_id !== upload.media_id;
    return { media_id: outcome_media_id, duplicate, enqueued: !duplicate };
  }

  /**
   * Copies a file that the browser uploaded directly to the object store to a path that the upload URL cannot write to.
   * The type is checked first, so that large files of another type are not copied.
   */
  async function takeFromLanding(upload: uploads.Upload, kind: file.UploadKind): Promise<void> {
    const landing = landingOf(upload.media_id);
    const isKind = await file.beginsLike(kind, storage, landing);
    if (isKind === false) return refuse(upload.media_id, kind, false);
    const stored = (isKind && (await storage.get(landing))) || nothingUploaded();
    await file.receiveUpload({ sql, storage }, upload, stored.content).catch((error) => {
      // A parallel request has copied it.
      if (!(error instanceof NexusError) || error.code !== 'E_UPLOAD_SPENT') throw error;
    });
  }

  /** Ends an upload whose file is of another kind, unless a parallel request has ended it or copied another file. */
  async function refuse(media_id: string, kind: file.UploadKind, isReceived: boolean): Promise<void> {
    const failure = {
      code: 'E_INVALID_FILE_TYPE',
      message: `The file is not ${kind === 'pdf' ? 'a PDF' : 'an EPUB'}. Upload another one.`,
    } as const;
    await transaction(sql, async (tx) => {
      const upload = await uploads.lockUpload(tx, media_id);
      if (upload?.status !== 'open' || (upload.received_at !== null) !== isReceived) return;
      await uploads.closeUpload(tx, media_id, 'refused', failure);
      await markFailed(tx, media_id, { stage: 'upload', ...failure }, log);
      await setStoredBytes(tx, media_id, 0);
    });
  }

  /** Locks the upload, so that of several parallel requests one accepts the file and all get the same answer. */
  function acceptFile(
    viewer: Viewer,
    { mediaId, kind, libraryId }: { mediaId: string; kind: file.UploadKind; libraryId: string | undefined },
    actor: Actor,
  ): Promise<uploads.Upload> {
    const { default_library_id } = viewer;
    const { requestId } = actor;
    const jobOptions = { requestId, createdBy: actor };
    const accept = async (tx: Transaction): Promise<uploads.Upload> => {
      await lockContents(tx, [libraryId ?? default_library_id, default_library_id]);
      const known = await lockKnown(tx, viewer, mediaId, kind);
      const upload = (await uploads.lockUpload(tx, mediaId)) ?? mediaNotFound();
      if (upload.status !== 'open') return upload;
      if (upload.sha256 === null) nothingUploaded();
      // Before the additions: what was done with the upload's media, such as tagging it, goes over to the known one.
      if (known) await replaceByKnown(tx, mediaId, known, onReplace);
      const outcome = known ?? mediaId;
      const media = [{ media_id: outcome }];
      if (libraryId !== undefined) await addMedia(tx, viewer, { libraryId, media, requestId });
      if (known) {
        await addMedia(tx, viewer, { libraryId: default_library_id, media, requestId });
        // Uploading a file again that could not be read retries it.
        await ingest.enqueueProcessing(tx, [{ id: known, kind, processing_status: 'failed' }], jobOptions);
      } else {
        const { path, size_bytes: size, sha256 } = upload;
        const content_type = file.UPLOAD_KINDS[kind].contentType;
        await store.setFile(tx, mediaId, { path, content_type, size, sha256 });
        // The file was charged when the upload began; the quota may have been lowered since.
        await quota.requireRoom(tx, viewer.user_id, 0);
        await ingest.maybeEnqueueExtraction(tx, kind, mediaId, jobOptions);
      }
      await uploads.markTakenIn(tx, mediaId, outcome);
      return { ...upload, status: 'taken_in', outcome_media_id: outcome };
    };
    return transaction(sql, accept, actor);
  }
}

/**
 * Finds the media that the person already has of an uploaded file, and locks it together with the media of the upload.
 * Nothing is written before these locks, so that events stay in order (`lock-contents.ts`).
 */
async function lockKnown(tx: Transaction, { user_id }: Viewer, mediaId: string, kind: file.UploadKind) {
  const upload = await uploads.findUpload(tx, mediaId);
  if (!upload?.sha256) return undefined;
  const known = await store.findByFile(tx, user_id, kind, upload.sha256);
  if (!known) return undefined;
  await lockListings(tx, [mediaId, known]);
  await holdMedia(tx, [known]);
  return store.findByFile(tx, user_id, kind, upload.sha256);
}

function nothingUploaded(): never {
  throw new NexusError('E_STORAGE_MISSING', 'The file is missing. Upload it to upload_url first.');
}

/** The path that a browser uploads to directly. */
function landingOf(mediaId: string): string {
  return `media/${mediaId}/landing`;
}
