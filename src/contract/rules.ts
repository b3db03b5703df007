import { z } from 'zod';
import { tagName } from './mine.ts';
import { id, listQuery, searchText, text, timestamp } from './wire.ts';

/** The most rules of a person. */
export const MOST_RULES = 100;
/** The most tags that a rule adds. */
const MOST_TAGS_OF_RULE = 20;

const ruleName = text(1, 100)
  .refine((given) => !/\p{Cc}/u.test(given), 'must not contain control characters')
  .meta({ examples: ['Tides to the reading group'] });

const isUsed = ({ tags, library_id, archive, favourite, notify }: z.output<typeof actionFields>) =>
  (tags?.length ?? 0) > 0 || library_id !== undefined || [archive, favourite, notify].includes(true);

const actionFields = z.strictObject({
  tags: z.array(tagName).max(MOST_TAGS_OF_RULE).optional().describe('Tags that it gets.'),
  library_id: id.optional().describe('A shared library that it is added to.'),
  archive: z.boolean().optional().describe('Whether to archive it.'),
  favourite: z.boolean().optional().describe('Whether to make it a favourite.'),
  notify: z
    .boolean()
    .optional()
    .describe('Whether to notify the caller, and to emit the event `rule.matched`.'),
});

const ruleActions = actionFields
  .refine(isUsed, 'must have at least one action')
  .meta({ examples: [{ tags: ['oceans/tides'], favourite: true }] });
export type RuleActions = z.output<typeof ruleActions>;

const shownActions = actionFields.meta({ examples: [{ tags: ['oceans/tides'], favourite: true }] });

export const rule = z.object({
  id,
  name: z.string().meta({ examples: ['Tides to the reading group'] }),
  query: z.string().meta({ examples: ['tides kind:pdf'] }),
  actions: shownActions,
  is_enabled: z.boolean().describe('Whether it is applied to what the caller saves.'),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Rule = z.output<typeof rule>;

export const createRule = z.strictObject({
  name: ruleName,
  query: searchText,
  actions: ruleActions,
  is_enabled: z.boolean().optional().describe('True unless it is given.'),
});
export type CreateRule = z.output<typeof createRule>;

export const editRule = createRule.partial();
export type EditRule = z.output<typeof editRule>;

export const runRule = z.strictObject({
  dry_run: z.boolean().optional().describe('Whether to list what would change, and change nothing.'),
});

const runStatus = z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']);
export type RunStatus = z.output<typeof runStatus>;

export const ruleRun = z.object({
  id,
  rule_id: id.nullable().describe('Null when the rule was deleted.'),
  rule_name: z.string().meta({ examples: ['Tides to the reading group'] }),
  query: z.string().meta({ examples: ['tides kind:pdf'] }),
  actions: shownActions.describe('The actions of the rule when the run was requested.'),
  is_dry_run: z.boolean(),
  status: runStatus,
  job_id: id,
  error_message: z.string().nullable(),
  matched_count: z.int(),
  changed_count: z.int().describe('The media that it changed, or would change.'),
  refused_count: z.int().describe('The media for which the caller lacked the right to one of the actions.'),
  undone_count: z.int().describe('The media of which undoing took something back.'),
  kept_count: z.int().describe('The media of which undoing kept something, because it was changed since.'),
  undo_job_id: id.nullable(),
  undo_status: runStatus.nullable(),
  created_at: timestamp,
  finished_at: timestamp.nullable(),
});
export type RuleRun = z.output<typeof ruleRun>;

export const ruleRunsQuery = listQuery.extend({
  rule_id: id.optional().describe('Only runs of this rule.'),
});
export type RuleRunsQuery = z.output<typeof ruleRunsQuery>;

const RULE_CHANGES = ['tags', 'library', 'archive', 'favourite'] as const;
export type RuleChange = (typeof RULE_CHANGES)[number];
const changes = z.array(z.enum(RULE_CHANGES)).meta({ examples: [[]] });

export const ruleRunItem = z.object({
  media_id: id,
  title: z.string(),
  tags: z
    .array(z.string())
    .describe('The tags that were added.')
    .meta({ examples: [['oceans/tides']] }),
  is_added: z.boolean().describe('Whether it was added to the library.'),
  is_archived: z.boolean().describe('Whether it was archived.'),
  is_favourite: z.boolean().describe('Whether it was made a favourite.'),
  refused: changes.describe('Actions that were skipped because the caller lacked the right to them.'),
  undone_at: timestamp.nullable(),
  kept: changes
    .nullable()
    .describe('What undoing kept, because it was changed since. Null if it was not undone.'),
});
export type RuleRunItem = z.output<typeof ruleRunItem>;

export const ruleNotification = z.object({
  id,
  rule_id: id,
  rule_name: z.string().meta({ examples: ['Tides to the reading group'] }),
  media_id: id,
  title: z.string(),
  created_at: timestamp,
  seen_at: timestamp.nullable(),
});
export type RuleNotification = z.output<typeof ruleNotification>;

export const markNotificationsSeen = z.strictObject({ through_id: id });
