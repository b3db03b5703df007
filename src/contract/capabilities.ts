import type { Capabilities, FailureStage, MediaKind, ProcessingStatus } from './media.ts';

/** The facts that decide a media's capabilities. */
export interface CapabilityFacts {
  kind: MediaKind;
  processing_status: ProcessingStatus;
  failure_stage: FailureStage | null;
  last_error_code: string | null;
  has_file: boolean;
  /** Whether it has text. A scanned PDF has none. */
  has_text: boolean;
  external_playback_url: string | null;
}

export function capabilitiesOf(media: CapabilityFacts): Capabilities {
  const isExtracted =
    ['ready_for_reading', 'embedding', 'ready'].includes(media.processing_status) ||
    (media.processing_status === 'failed' && media.failure_stage === 'embed');
  const canRead = media.kind === 'pdf' ? media.has_file : isExtracted;
  const hasText = isExtracted && media.has_text;
  const lacksOnlyTranscript =
    media.processing_status === 'failed' && media.last_error_code === 'E_TRANSCRIPT_UNAVAILABLE';
  return {
    can_read: canRead,
    can_highlight: canRead,
    can_quote: hasText,
    can_search: hasText,
    can_play: media.external_playback_url !== null && (isExtracted || lacksOnlyTranscript),
    can_download_file: media.has_file,
  };
}
