import { hash } from 'node:crypto';

/** Names a state of an object by the fields that make it up. */
export function versionOf(...fields: unknown[]): string {
  return digest(JSON.stringify(fields)).slice(0, 10);
}

/** A short name of a text; 132 bits are enough to tell texts apart. */
export function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22).replaceAll('-', '_');
}
