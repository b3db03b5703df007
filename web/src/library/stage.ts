import type { Media } from '../api/types.ts';

export type Stage = 'queued' | 'unavailable' | 'working' | 'ready' | 'failed';

/** Media that were put back in the queue although nothing there can process their kind. */
const withoutProcessor = new Set<string>();

export function noteUnprocessable(mediaId: string, isUnprocessable: boolean): void {
  if (isUnprocessable) withoutProcessor.add(mediaId);
  else withoutProcessor.delete(mediaId);
}

export function stageOf({ id, kind, processing_status, capabilities, last_error_code }: Media): Stage {
  if (processing_status === 'pending') {
    return kind === 'podcast_episode' || withoutProcessor.has(id) ? 'unavailable' : 'queued';
  }
  if (processing_status === 'extracting') return 'working';
  if (processing_status === 'failed') {
    const isReadable = capabilities.can_read && last_error_code !== null;
    return isReadable ? 'ready' : 'failed';
  }
  return 'ready';
}

export function isUnderWay(media: Media): boolean {
  const stage = stageOf(media);
  return stage === 'queued' || stage === 'working';
}

export const STAGE_WORDS: Record<Stage, string> = {
  queued: 'Queued',
  unavailable: 'Queued (processor unavailable)',
  working: 'Fetching and extracting',
  ready: 'Ready',
  failed: 'Could not be read',
};
