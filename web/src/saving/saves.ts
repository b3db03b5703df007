import { ApiError, api, apiUrl, errorMessage } from '../api/client.ts';
import { createStore } from '../api/store.ts';
import type { BegunUpload, IngestedUpload, SavedMedia } from '../api/types.ts';
import { changeMany } from '../library/bulk.ts';
import { showToast } from '../ui/toasts.tsx';
import { shortLink } from './links.ts';

interface SavedItem {
  mediaId: string;
  /** Whether the person had it already. */
  isKnown: boolean;
}

/** A link or file that is being saved. It is shown before the server has answered. */
export interface Save {
  id: number;
  title: string;
  isFile: boolean;
  /** The shared library that it is also added to. */
  libraryId: string | undefined;
  /** The uploaded share of a file, from 0 to 1. */
  progress: number;
  saved?: SavedItem;
  error?: unknown;
  retry: () => Promise<void>;
}

export const saveStore = createStore<readonly Save[]>([]);
let lastId = 0;

/** Unarchives an item that was saved again: the person wants to read it. */
async function unarchive(mediaId: string): Promise<void> {
  await changeMany({ action: 'unarchive' }, [mediaId]);
}

/** Saves a link to the person's own library and, in the same transaction, to a shared one. */
export async function postLink(
  url: string,
  libraryId: string | undefined,
  tags: readonly string[] = [],
): Promise<SavedMedia> {
  const saved = await api.postData<SavedMedia>('/media', {
    url,
    ...(libraryId && { library_id: libraryId }),
    ...(tags.length > 0 && { tags }),
  });
  if (!saved.created) await unarchive(saved.media_id);
  return saved;
}

export function saveLink(url: string, libraryId?: string, tags: readonly string[] = []): Promise<void> {
  return begin({ title: shortLink(url), isFile: false, libraryId }, async () => {
    const { media_id, created } = await postLink(url, libraryId, tags);
    return { mediaId: media_id, isKnown: !created };
  });
}

export function saveFile(file: File, libraryId?: string, tags: string[] = []): Promise<void> {
  return begin({ title: file.name, isFile: true, libraryId }, async (id) => {
    const { media_id, duplicate } = await uploadFile(file, libraryId, (progress) => change(id, { progress }));
    if (duplicate) await unarchive(media_id);
    if (tags.length > 0) await changeMany({ action: 'tag', tags }, [media_id]);
    return { mediaId: media_id, isKnown: duplicate };
  });
}

/** Returns the message about a link or file that was saved. */
export function savedMessage({ title, saved }: Pick<Save, 'title' | 'saved'>): string {
  return saved?.isKnown ? `You already have ${title}` : `Saved ${title}`;
}

export function forgetSave(id: number): void {
  saveStore.set((saves) => saves.filter((save) => save.id !== id));
}

function change(id: number, fields: Partial<Save>): void {
  saveStore.set((saves) => saves.map((save) => (save.id === id ? { ...save, ...fields } : save)));
}

function begin(
  fields: Pick<Save, 'title' | 'isFile' | 'libraryId'>,
  send: (id: number) => Promise<SavedItem>,
): Promise<void> {
  lastId += 1;
  const id = lastId;
  // A list that is on the screen shows the save as a card; other pages show a toast.
  const retry = async () => {
    change(id, { error: undefined, progress: 0 });
    try {
      const saved = await send(id);
      if (saveStore.isWatched()) return change(id, { saved, progress: 1 });
      forgetSave(id);
      showToast(savedMessage({ title: fields.title, saved }));
    } catch (error) {
      change(id, { error });
      if (!saveStore.isWatched()) showToast(`${fields.title} was not saved. ${errorMessage(error)}`);
    }
  };
  saveStore.set((saves) => [{ id, ...fields, progress: 0, retry }, ...saves]);
  return retry();
}

const TYPES = {
  pdf: 'application/pdf',
  epub: 'application/epub+zip',
} as const;

function kindOfFile(file: File): keyof typeof TYPES | undefined {
  const extension = /\.(pdf|epub)$/i.exec(file.name)?.[1]?.toLowerCase();
  if (extension === 'pdf' || extension === 'epub') return extension;
  return (['pdf', 'epub'] as const).find((kind) => TYPES[kind] === file.type);
}

/** Uploads a file. In one transaction, it is saved like a link, and its processing starts. */
async function uploadFile(
  file: File,
  libraryId: string | undefined,
  onProgress: (share: number) => void,
): Promise<IngestedUpload> {
  const kind = kindOfFile(file);
  if (!kind) {
    throw new ApiError(
      400,
      'E_INVALID_FILE_TYPE',
      `"${file.name}" is not a PDF or EPUB file. Only these can be uploaded.`,
    );
  }
  const begun = await api.postData<BegunUpload>('/media/upload/init', {
    kind,
    filename: file.name,
    content_type: TYPES[kind],
    size_bytes: file.size,
  });
  await putFile(begun, file, onProgress);
  const body = libraryId ? { library_id: libraryId } : undefined;
  return api.postData(`/media/${begun.media_id}/ingest`, body);
}

/** Sends the bytes with XMLHttpRequest, because fetch does not report upload progress. */
function putFile(
  { upload_url, upload_headers }: BegunUpload,
  file: File,
  onProgress: (share: number) => void,
) {
  return new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', uploadAddress(upload_url));
    for (const [name, value] of Object.entries(upload_headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () => {
      if (request.status < 300) return resolve();
      reject(uploadError(request));
    };
    request.onerror = () =>
      reject(new ApiError(0, 'E_OFFLINE', 'The upload was interrupted. Check your connection and retry.'));
    request.send(file);
  });
}

/**
 * Returns the address to upload to. Uploads to Nexus go to the origin of this page, because the Content-Security-Policy
 * allows no other, and the public address of Nexus may be another one.
 */
function uploadAddress(uploadUrl: string): string {
  const { pathname, search } = new URL(uploadUrl, window.location.origin);
  return pathname === apiUrl('/media/upload') ? pathname + search : uploadUrl;
}

function uploadError(request: XMLHttpRequest): ApiError {
  try {
    const { error } = JSON.parse(request.responseText);
    return new ApiError(request.status, error.code, error.message, { requestId: error.request_id });
  } catch {
    return new ApiError(request.status, 'E_INTERNAL', 'The upload was rejected. Retry.');
  }
}
