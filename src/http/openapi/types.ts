/** The parts of an OpenAPI 3.1 document that Nexus writes. */
export interface OpenApiDocument {
  openapi: '3.1.0';
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    headers: Record<string, Header>;
    securitySchemes: Record<string, object>;
  };
}

export interface Operation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description: string;
  deprecated?: true;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Answer>;
  security: Record<string, string[]>[];
  'x-minimum-role'?: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  deprecated?: boolean;
  schema: JsonSchema;
  example?: unknown;
}

export interface Answer {
  description: string;
  headers?: Record<string, Reference>;
  content?: Content;
}

export type Content = Record<string, { schema: JsonSchema; example?: unknown }>;

export interface Header {
  description: string;
  /** Whether every answer that is described with the header has it. */
  required?: true;
  schema: JsonSchema;
}

export interface Reference {
  $ref: string;
}

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  deprecated?: boolean;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
}
