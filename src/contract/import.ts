import { z } from 'zod';
import { highlightColor, highlightTarget, pdfArea } from './highlights.ts';
import { MAX_NOTE, MAX_POSITION, MAX_TITLE, MOST_HIGHLIGHTS } from './limits.ts';
import { tagNames } from './mine.ts';
import { isWellFormedText, text, timestamp } from './wire.ts';

/** Validated and kept as text: the worker parses the payload again. */
export const moment = z.iso
  .datetime({ offset: true })
  .refine((given) => timestamp.safeParse(given).success, 'must be a date and time from year 1 to 9999');

const title = text(1, MAX_TITLE).refine(
  (given) => !/\p{Cc}/u.test(given),
  'must not contain control characters',
);
const note = text(1, MAX_NOTE).describe('Markdown.');

const target = highlightTarget.refine(
  ({ selector }) =>
    selector.some(
      (one) =>
        one.type === 'TextQuoteSelector' &&
        one.exact.trim() !== '' &&
        [one.exact, one.prefix, one.suffix].every(isWellFormedText),
    ),
  { path: ['selector'], message: 'must have a quote, which is not only white space' },
);

const importedHighlight = z.strictObject({
  target: target.describe(
    'The passage. It is looked for in the text by its quote as soon as the text is there; the position helps.',
  ),
  pdf: pdfArea.optional(),
  color: highlightColor.default('yellow'),
  note: note.optional(),
  created_at: moment.optional(),
  updated_at: moment.optional(),
});
export type ImportedHighlight = z.output<typeof importedHighlight>;

const importedReading = z.strictObject({
  progress: z.number().min(0).max(1),
  finished_at: moment.nullable().default(null),
  updated_at: moment.optional().describe('When it was last read. Default: now.'),
  position: z
    .unknown()
    .optional()
    .refine(
      (given) => isStorable(JSON.stringify(given) ?? ''),
      `must have at most ${MAX_POSITION} characters of JSON`,
    )
    .describe('As in `updateReading`.'),
});
export type ImportedReading = z.output<typeof importedReading>;

/** PostgreSQL stores neither NUL nor half characters. */
function isStorable(json: string): boolean {
  return json.length <= MAX_POSITION && !/\\u(0000|d[89a-f])/i.test(json);
}

export const importedDetails = z
  .strictObject({
    title: title.optional().describe('Shown while the page has no title of its own.'),
    own_title: title.optional().describe("The person's own title, which is shown in any case."),
    tags: tagNames.optional(),
    is_favourite: z.boolean().default(false),
    is_archived: z.boolean().default(false),
    note: note.optional(),
    reading: importedReading.optional(),
    highlights: z.array(importedHighlight).max(MOST_HIGHLIGHTS).default([]),
  })
  .describe(
    'What another program knew about a link. It is added to what the person has; nothing of theirs is replaced.',
  );
export type ImportedDetails = z.output<typeof importedDetails>;
