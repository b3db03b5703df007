import { z } from 'zod';
import { mode } from './roles.ts';
import { id, text, timestamp } from './wire.ts';

/** The action of a policy on a text that it matches: `block` hides the text, `redact` removes the matches. */
const policyAction = z.enum(['block', 'redact']);

const terms = z.array(text(1, 200)).max(1000);
const patterns = z.array(text(1, 200)).max(20);

export const policy = z.object({
  id,
  name: z.string(),
  mode,
  action: policyAction,
  terms: z.array(z.string()).describe('Matched as whole words, ignoring case.'),
  patterns: z.array(z.string()).describe('`docs/governance.md` describes the syntax.'),
  is_enabled: z.boolean(),
  source: z
    .enum(['configuration', 'api'])
    .describe('A policy from the configuration can only be changed there.'),
  created_by: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Policy = z.output<typeof policy>;

export const createPolicy = z
  .strictObject({
    name: text(1, 100),
    mode: mode.default('PUBLIC'),
    action: policyAction.default('redact'),
    terms: terms.default([]),
    patterns: patterns.default([]),
    is_enabled: z.boolean().default(true),
  })
  .refine(
    (given) => given.terms.length + given.patterns.length > 0,
    'must have at least one term or pattern',
  );
export type CreatePolicy = z.output<typeof createPolicy>;

export const updatePolicy = z.strictObject({
  name: text(1, 100).optional(),
  action: policyAction.optional(),
  terms: terms.optional(),
  patterns: patterns.optional(),
  is_enabled: z.boolean().optional(),
});
export type UpdatePolicy = z.output<typeof updatePolicy>;

export const evaluate = z.strictObject({
  text: z
    .string()
    .max(50_000)
    .regex(/^[^\0]*$/, 'must not contain the NUL character'),
  mode: mode.default('PUBLIC'),
});

export type Decision = Evaluation['decision'];

export const evaluation = z.object({
  mode,
  decision: z.enum(['allow', 'redact', 'block']),
  allow: z.boolean(),
  policy_hits: z.array(z.object({ policy_id: id, name: z.string(), action: policyAction, count: z.int() })),
  redactions: z
    .array(z.object({ start: z.int(), end: z.int() }))
    .describe('The redacted ranges, as offsets into the text of the request.'),
  text: z.string().nullable().describe('The text after redaction; null when it is blocked.'),
});
export type Evaluation = z.output<typeof evaluation>;
