import { api } from '../api/client.ts';
import { sentenceOf } from '../api/error.ts';
import type { Answer, SavedMedia } from '../api/types.ts';
import { showToast } from '../ui/toasts.ts';
import { shortLink } from './links.ts';
import { uploadFile } from './upload.ts';

/** Something on its way into the library: shown at once, before Nexus has answered. */
export interface Save {
  id: number;
  title: string;
  isFile: boolean;
  /** The shared library it also goes into. */
  libraryId: string | undefined;
  /** How much of a file is there, from 0 to 1. */
  progress: number;
  mediaId?: string;
  error?: unknown;
  again: () => Promise<void>;
}

let saves: readonly Save[] = [];
let lastId = 0;
const watchers = new Set<() => void>();
const savedListeners = new Set<(save: Save) => void>();

function publish(next: readonly Save[]): void {
  saves = next;
  for (const watcher of watchers) watcher();
}

function change(id: number, fields: Partial<Save>): void {
  publish(saves.map((save) => (save.id === id ? { ...save, ...fields } : save)));
}

export const saveStore = {
  subscribe(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  },
  get: () => saves,
  /** Called for each one that Nexus has taken. */
  onSaved(listener: (save: Save) => void): () => void {
    savedListeners.add(listener);
    return () => savedListeners.delete(listener);
  },
};

export function forgetSave(id: number): void {
  publish(saves.filter((save) => save.id !== id));
}

export function saveLink(url: string, libraryId?: string): Promise<void> {
  return begin({ title: shortLink(url), isFile: false, libraryId }, async () => {
    const { data } = await api.post<Answer<SavedMedia>>('/media/from_url', { url });
    return data.media_id;
  });
}

export function saveFile(file: File, libraryId?: string): Promise<void> {
  return begin({ title: file.name, isFile: true, libraryId }, async (id) => {
    const ingested = await uploadFile(file, (progress) => change(id, { progress }));
    return ingested.media_id;
  });
}

/** Gives the id of the media. */
type Work = (id: number) => Promise<string>;

function begin(fields: Pick<Save, 'title' | 'isFile' | 'libraryId'>, work: Work): Promise<void> {
  lastId += 1;
  const id = lastId;
  const again = async () => {
    change(id, { error: undefined, progress: 0 });
    try {
      const mediaId = await work(id);
      if (fields.libraryId) await api.post(`/libraries/${fields.libraryId}/media`, { media_id: mediaId });
      change(id, { mediaId, progress: 1 });
      const save = saves.find((candidate) => candidate.id === id);
      if (save) for (const listener of savedListeners) listener(save);
      // Where no list shows its card, it is said in passing.
      if (watchers.size === 0) showToast(`Saved: ${fields.title}`);
    } catch (error) {
      change(id, { error });
      if (watchers.size === 0) showToast(`${fields.title} was not saved. ${sentenceOf(error)}`);
    }
  };
  publish([{ id, ...fields, progress: 0, again }, ...saves]);
  return again();
}
