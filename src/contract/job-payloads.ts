import { z } from 'zod';
import { analyzePayload } from './analysis.ts';
import { importedDetails, moment } from './import.ts';
import { submitJob } from './jobs.ts';
import { id } from './wire.ts';

const MOST_LINKS = 10_000;
const LONGEST_LINK = 10_000;

const link = z
  .string()
  .max(LONGEST_LINK)
  .regex(/^[^\0]*$/, 'must not contain the NUL character')
  .refine((value) => !/\p{Surrogate}/u.test(value), 'must not contain unpaired surrogates');

export const ingestBatchPayload = z
  .strictObject({
    urls: z.array(link).min(1).max(MOST_LINKS),
    saved_at: z
      .array(moment.nullable())
      .max(MOST_LINKS)
      .optional()
      .describe('When each was saved in another program, in the order of `urls`.'),
    details: z
      .array(importedDetails.nullable())
      .max(MOST_LINKS)
      .optional()
      .describe(
        'What else is known about each, in the order of `urls`: title, tags, favourite, archive, note, reading progress and ' +
          'highlights. Only the caller sees it.',
      ),
    library_id: id
      .optional()
      .describe('A library that lists them too. The caller must be its admin or contributor.'),
  })
  .refine(({ urls, saved_at }) => saved_at === undefined || saved_at.length === urls.length, {
    path: ['saved_at'],
    message: 'must have one entry for each of urls, null where it is not known',
  })
  .refine(({ urls, details }) => details === undefined || details.length === urls.length, {
    path: ['details'],
    message: 'must have one entry for each of urls, null where there is nothing',
  });

export const branchReplayPayload = z.strictObject({ branch_id: id });

export const integrityAuditPayload = z.strictObject({
  repair: z.boolean().default(false).describe('Repairs what can be derived from other data.'),
});

/** The payloads of the job types that can be submitted. A test compares them with the types that are registered. */
export const JOB_PAYLOADS = {
  ingest_batch: ingestBatchPayload,
  analyze: analyzePayload,
  branch_replay: branchReplayPayload,
  integrity_audit: integrityAuditPayload,
};

const submissionOf = <Type extends keyof typeof JOB_PAYLOADS>(type: Type) =>
  submitJob.extend({ job_type: z.literal(type), payload: JOB_PAYLOADS[type] });

export const ingestBatchSubmission = submissionOf('ingest_batch');
export const analyzeSubmission = submissionOf('analyze');
export const branchReplaySubmission = submissionOf('branch_replay');
export const integrityAuditSubmission = submissionOf('integrity_audit');

/** The bodies that `submitJob` accepts, for the OpenAPI document. The payload is checked by the job type that it is for. */
export const jobSubmission = z.discriminatedUnion('job_type', [
  ingestBatchSubmission,
  analyzeSubmission,
  branchReplaySubmission,
  integrityAuditSubmission,
]);
