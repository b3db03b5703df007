import { api } from '../api/client.ts';
import { errorMessage } from '../api/error.ts';
import { createStore } from '../api/store.ts';
import type { Answer, SavedMedia } from '../api/types.ts';
import { showToast } from '../ui/toasts.ts';
import { shortLink } from './links.ts';
import { uploadFile } from './upload.ts';

/** A link or file that is being saved. It is shown before the server has answered. */
export interface Save {
  id: number;
  title: string;
  isFile: boolean;
  /** The shared library that it is also added to. */
  libraryId: string | undefined;
  /** The uploaded share of a file, from 0 to 1. */
  progress: number;
  mediaId?: string;
  error?: unknown;
  retry: () => Promise<void>;
}

export const saveStore = createStore<readonly Save[]>([]);
let lastId = 0;

/** Saves a link to the person's own library and, in the same transaction, to a shared one. */
export async function postLink(url: string, libraryId: string | undefined): Promise<SavedMedia> {
  const body = { url, ...(libraryId && { library_id: libraryId }) };
  return (await api.post<Answer<SavedMedia>>('/media/from_url', body)).data;
}

export function saveLink(url: string, libraryId?: string): Promise<void> {
  return begin({ title: shortLink(url), isFile: false, libraryId }, async () => {
    const { media_id } = await postLink(url, libraryId);
    return media_id;
  });
}

export function saveFile(file: File, libraryId?: string): Promise<void> {
  return begin({ title: file.name, isFile: true, libraryId }, async (id) => {
    const { media_id } = await uploadFile(file, (progress) => change(id, { progress }));
    if (libraryId) await api.post(`/libraries/${libraryId}/media`, { media_id });
    return media_id;
  });
}

export function forgetSave(id: number): void {
  saveStore.set((saves) => saves.filter((save) => save.id !== id));
}

function change(id: number, fields: Partial<Save>): void {
  saveStore.set((saves) => saves.map((save) => (save.id === id ? { ...save, ...fields } : save)));
}

function begin(
  fields: Pick<Save, 'title' | 'isFile' | 'libraryId'>,
  send: (id: number) => Promise<string>,
): Promise<void> {
  lastId += 1;
  const id = lastId;
  // A list that is on the screen shows the save as a card; other pages show a toast.
  const notify = (text: string) => saveStore.isWatched() || showToast(text);
  const retry = async () => {
    change(id, { error: undefined, progress: 0 });
    try {
      change(id, { mediaId: await send(id), progress: 1 });
      notify(`Saved ${fields.title}`);
    } catch (error) {
      change(id, { error });
      notify(`${fields.title} was not saved. ${errorMessage(error)}`);
    }
  };
  saveStore.set((saves) => [{ id, ...fields, progress: 0, retry }, ...saves]);
  return retry();
}
