import type { Media } from '../api/types.ts';

/** The processing state of a media as readers see it. */
export type Stage = 'queued' | 'unavailable' | 'working' | 'ready' | 'failed';

export function stageOf({ kind, processing_status, capabilities, last_error_code }: Media): Stage {
  if (processing_status === 'pending') return kind === 'podcast_episode' ? 'unavailable' : 'queued';
  if (processing_status === 'extracting') return 'working';
  if (processing_status === 'failed') {
    const isReadable = capabilities.can_read && last_error_code !== null;
    return isReadable ? 'ready' : 'failed';
  }
  return 'ready';
}

export const STAGE_LABELS: Record<Stage, string> = {
  queued: 'Queued',
  unavailable: 'Queued (not supported yet)',
  working: 'Fetching and processing',
  ready: 'Ready',
  failed: 'Failed',
};
