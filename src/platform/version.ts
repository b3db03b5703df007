import { readFileSync } from 'node:fs';
import { ROOT } from './program.ts';

const manifest = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));

export const NEXUS_VERSION: string = manifest.version;
