import { type Site, startRawSite } from './internet.ts';

const HELLO = 0x01;
const GOODBYE = 0x02;
const RUN = 0x10;
/** Version 4.4, which all current drivers support. */
const CHOSEN_VERSION = Buffer.from([0, 0, 4, 4]);

const short = (text: string) => Buffer.from([0x80 + text.length, ...Buffer.from(text)]);
/** SUCCESS with a map of short texts, as one chunk and its end. */
function success(metadata: Record<string, string> = {}): Buffer {
  const fields = Object.entries(metadata).flatMap(([key, value]) => [short(key), short(value)]);
  const body = Buffer.concat([Buffer.from([0xb1, 0x70, 0xa0 + fields.length / 2]), ...fields]);
  return Buffer.concat([Buffer.from([0, body.length]), body, Buffer.from([0, 0])]);
}

export interface BoltMessage {
  tag: number;
  text: string;
  /** The statement of a RUN message. */
  statement: string | undefined;
}

/** The first field of RUN: a text behind its length, which has as many bytes as its marker says. */
function statementIn(message: Buffer): string | undefined {
  if (message[1] !== RUN) return undefined;
  const marker = message[2] ?? 0;
  if ((marker & 0xf0) === 0x80) return message.subarray(3, 3 + (marker & 0x0f)).toString();
  const width = marker === 0xd0 ? 1 : 2;
  const start = 3 + width;
  return message.subarray(start, start + message.readUIntBE(3, width)).toString();
}

/** A server that speaks enough Bolt to accept writes: it answers every message with success and records statements. */
export async function startBoltServer(): Promise<Site & { messages: BoltMessage[] }> {
  const messages: BoltMessage[] = [];
  const site = await startRawSite((socket) => {
    let received = Buffer.alloc(0);
    let message = Buffer.alloc(0);
    let hasShakenHands = false;
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (!hasShakenHands) {
        if (received.length < 20) return;
        received = received.subarray(20);
        hasShakenHands = true;
        socket.write(CHOSEN_VERSION);
      }
      while (received.length >= 2) {
        const length = received.readUInt16BE(0);
        if (received.length < 2 + length) return;
        message = Buffer.concat([message, received.subarray(2, 2 + length)]);
        received = received.subarray(2 + length);
        if (length > 0 || message.length === 0) continue;
        const tag = message[1] ?? 0;
        messages.push({ tag, text: message.toString('utf8'), statement: statementIn(message) });
        message = Buffer.alloc(0);
        if (tag === GOODBYE) socket.end();
        else socket.write(success(tag === HELLO ? { server: 'Neo4j/4.4.0', connection_id: 'one' } : {}));
      }
    });
  });
  return Object.assign(site, { messages });
}
