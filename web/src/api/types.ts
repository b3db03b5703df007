import type { z } from 'zod';
import type * as highlights from '../../../src/contract/highlights.ts';
import type * as identity from '../../../src/contract/identity.ts';
import type * as libraries from '../../../src/contract/libraries.ts';
import type * as media from '../../../src/contract/media.ts';
import type * as mine from '../../../src/contract/mine.ts';
import type * as reading from '../../../src/contract/reading.ts';
import type * as rules from '../../../src/contract/rules.ts';
import type * as search from '../../../src/contract/search.ts';
import type * as session from '../../../src/contract/session.ts';
import type * as storage from '../../../src/contract/storage.ts';
import type * as trash from '../../../src/contract/trash.ts';
import type { page } from '../../../src/contract/wire.ts';

/** A contract type as it is on the wire: dates are strings. */
export type Wire<Schema extends z.ZodType> = z.input<Schema>;

/** The body of an answer with one object. */
export interface Answer<T> {
  data: T;
}

/** The body of an answer with one page of a list. */
export interface ListPage<T> {
  data: T[];
  page: Wire<typeof page>;
}

export type { LibraryRole } from '../../../src/contract/libraries.ts';
export type {
  Capabilities,
  MediaKind,
  ProcessingStatus,
} from '../../../src/contract/media.ts';
export type { Role, Scope } from '../../../src/contract/roles.ts';

export type Fragment = Wire<typeof media.fragment>;
export type LaidOutFragment = Wire<typeof media.laidOutFragment>;
export type FragmentEntry = Wire<typeof media.fragmentEntry>;
export type OutlineItem = Wire<typeof media.outlineItem>;
export type Landmark = Wire<typeof media.bookFacts>['landmarks'][number];
export type MediaAttempt = Wire<typeof media.mediaAttempt>;
export type SavedMedia = Wire<typeof media.savedMedia>;
export type BegunUpload = Wire<typeof media.begunUpload>;
export type IngestedUpload = Wire<typeof media.ingestedUpload>;

export type ApiKey = Wire<typeof identity.apiKey>;
export type CreatedApiKey = Wire<typeof identity.createdApiKey>;

export type Member = Wire<typeof libraries.member>;
export type Invitation = Wire<typeof libraries.invitation>;
export type Provenance = Wire<typeof libraries.provenance>;
export type RemovalPreview = Wire<typeof libraries.removalPreview>;

export type Reading = Wire<typeof reading.readingProgress> | null;
export type UpdateReading = Wire<typeof reading.updateReading>;
export type Media = Wire<typeof media.media>;
export type MediaWithOutline = Wire<typeof media.mediaWithOutline>;
export type ListedMedia = Wire<typeof media.listedMedia>;
export type MediaPage = Wire<typeof media.mediaList>;
export type MediaChange = Wire<typeof media.mediaChange>;
export type MediaChanged = Wire<typeof media.mediaChanged>;
export type Highlight = Wire<typeof highlights.highlight>;
export type Audience = Wire<typeof highlights.audience>;
export type Reply = Wire<typeof highlights.reply>;
export type Mine = Wire<typeof mine.mine>;
export type Tag = Wire<typeof mine.tag>;
export type TagReason = Wire<typeof mine.tagReason>;
export type LibraryTag = Wire<typeof libraries.libraryTag>;
export type Rule = Wire<typeof rules.rule>;
export type RuleRun = Wire<typeof rules.ruleRun>;
export type RuleRunItem = Wire<typeof rules.ruleRunItem>;
export type RuleNotification = Wire<typeof rules.ruleNotification>;
export type TagLevel = Wire<typeof mine.tagLevel>;
export type Library = Wire<typeof libraries.library>;
export type SearchHit = Wire<typeof search.searchHit>;
export type SavedSearch = Wire<typeof search.savedSearch>;
export type Passage = Wire<typeof search.passage>;
export type TextMatch = Wire<typeof search.textMatch>;
export type Session = Wire<typeof session.session>;
export type Person = Wire<typeof identity.person>;
export type TrashedMedia = Wire<typeof trash.trashedMedia>;
export type StorageUse = Wire<typeof storage.storageUse>;
