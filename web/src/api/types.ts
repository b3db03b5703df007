import type { z } from 'zod';
import type * as identity from '../../../src/contract/identity.ts';
import type * as libraries from '../../../src/contract/libraries.ts';
import type * as media from '../../../src/contract/media.ts';
import type { page } from '../../../src/contract/wire.ts';

/** The contract's types as they are on the wire: points in time are text. */
export type Wire<Schema extends z.ZodType> = z.input<Schema>;

export type Page = Wire<typeof page>;
export interface Answer<T> {
  data: T;
}
export interface Listing<T> {
  data: T[];
  page: Page;
}

export type { LibraryRole } from '../../../src/contract/libraries.ts';
export type {
  Capabilities,
  MediaKind,
  ProcessingStatus,
} from '../../../src/contract/media.ts';
export type { Role } from '../../../src/contract/roles.ts';

export type Fragment = Wire<typeof media.fragment>;
export type OutlineItem = Wire<typeof media.outlineItem>;
export type MediaAttempt = Wire<typeof media.mediaAttempt>;
export type SavedMedia = Wire<typeof media.savedMedia>['data'];
export type BegunUpload = Wire<typeof media.begunUpload>['data'];
export type IngestedUpload = Wire<typeof media.ingestedUpload>['data'];
export type RetriedMedia = Wire<typeof media.retriedMedia>['data'];

export type ApiKey = Wire<typeof identity.apiKey>;

export type Member = Wire<typeof libraries.member>;
export type Invitation = Wire<typeof libraries.invitation>;
export type Provenance = Wire<typeof libraries.provenance>;
export type RemovalPreview = Wire<typeof libraries.removalPreview>;

/** Until the branch with sessions, reading state and counts is merged, what it adds is written down here. */
export type Reading = {
  progress: number;
  position: unknown;
  finished_at: string | null;
  updated_at: string;
} | null;
export type Media = Wire<typeof media.media> & { reading: Reading; added_at?: string };
export type MediaWithOutline = Wire<typeof media.mediaAnswer>['data'] & { reading: Reading };
export type Library = Wire<typeof libraries.library> & { media_count: number; unread_count: number };
export interface Session {
  user: {
    id: string;
    username: string;
    display_name: string;
    role: import('../../../src/contract/roles.ts').Role;
  };
  default_library_id: string;
  has_password: boolean;
  needs_current_password: boolean;
  needs_onboarding: boolean;
  allowed_modes: string[];
}
/** Lists of media say how many there are under their filters. */
export interface MediaPage {
  data: Media[];
  page: Page & { total: number };
}

export interface Person {
  id: string;
  username: string;
  display_name: string;
}
export interface SearchHit {
  media: Media;
  snippet: { text: string; is_match: boolean }[];
  fragment_idx: number | null;
}
export interface SearchPage {
  data: SearchHit[];
  page: Page;
}
