import { z } from 'zod';
import { cloudEvent, EVENT_TYPES, EVENTS, type EventType } from '../../contract/events.ts';
import { exampleOf } from './examples.ts';
import { type createTranslator, nameSchema } from './json-schema.ts';
import type { OpenApiDocument, Operation, Parameter } from './types.ts';

/** One schema per event type: a CloudEvent whose `data` is the payload of that type. */
const EVENT_SCHEMAS = new Map(
  EVENT_TYPES.map((type) => {
    const schema = cloudEvent.extend({ type: z.literal(type), data: EVENTS[type].payload });
    nameSchema(schema, `${pascalCase(type)}Event`);
    return [type, schema] as const;
  }),
);

/** Describes what Nexus sends to webhooks. */
export function describeWebhooks(
  translator: ReturnType<typeof createTranslator>,
): OpenApiDocument['webhooks'] {
  return Object.fromEntries(
    [...EVENT_SCHEMAS].map(([type, schema]) => {
      const translated = translator.translate(schema);
      const example = exampleOf(translated, translator.named);
      const operation: Operation = {
        operationId: `on${pascalCase(type)}`,
        tags: ['Webhooks'],
        summary: `Receive ${type}`,
        description: 'Answer with any 2xx status. Everything else is tried again later.',
        parameters: SIGNATURE,
        requestBody: {
          required: true,
          content: { 'application/cloudevents+json': { schema: translated, example } },
        },
        responses: { '2XX': { description: 'Received.' }, '410': { description: 'Disables the webhook.' } },
        security: [],
      };
      return [type, { post: operation }];
    }),
  );
}

const SIGNATURE: Parameter[] = [
  header('webhook-id', 'The id of the event; the same for every attempt.', 'msg_019eb2a4'),
  header('webhook-timestamp', 'When the attempt was made, in seconds since 1970.', '1773480413'),
  header('webhook-signature', 'HMAC-SHA256 over id, timestamp and body, by Standard Webhooks.', 'v1,K5oZfz'),
];

function header(name: string, description: string, example: string): Parameter {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example };
}

function pascalCase(type: EventType): string {
  return type.replace(/(^|[._])(\w)/g, (_match, _separator, letter: string) => letter.toUpperCase());
}
