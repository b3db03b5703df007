import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { type Site, startSite } from './internet.ts';

type Value = string | number | boolean | undefined;

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentId: string;
  name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  startMs: number;
  endMs: number;
  attributes: Record<string, Value>;
  links: string[];
  isFailed: boolean;
  statusMessage: string;
  events: number;
  /** The attributes of the process that sent it. */
  resource: Record<string, Value>;
}

export interface OtlpReceiver {
  site: Site;
  spans: ReceivedSpan[];
}

/** Starts an OpenTelemetry collector that keeps the spans that it receives as OTLP over HTTP, in protobuf. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const site = await startSite(async (request, response) => {
    const body = await buffer(request);
    const isTraces = request.method === 'POST' && request.url === '/v1/traces';
    if (!isTraces || request.headers['content-type'] !== 'application/x-protobuf')
      return void response.writeHead(400).end();
    spans.push(...readExport(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  return { site, spans };
}

/** A field of a protobuf message: a number for the fixed and variable integers, bytes for all others. */
interface Field {
  number: number;
  value: bigint | Buffer;
}

/** Reads the fields of a message in the wire format of protobuf. */
function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  const varint = () => {
    let [result, shift] = [0n, 0n];
    for (;;) {
      const byte = bytes.readUInt8(at++);
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return result;
      shift += 7n;
    }
  };
  const slice = (length: number) => {
    if (at + length > bytes.length) throw new Error('The message is cut off.');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    const wireType = Number(tag & 7n);
    if (wireType === 0) yield { number, value: varint() };
    else if (wireType === 1) yield { number, value: slice(8).readBigUInt64LE() };
    else if (wireType === 2) yield { number, value: slice(Number(varint())) };
    else if (wireType === 5) yield { number, value: BigInt(slice(4).readUInt32LE()) };
    else throw new Error(`The wire type ${wireType} is unknown.`);
  }
}

const all = (bytes: Buffer, number: number) =>
  [...fieldsOf(bytes)].filter((field) => field.number === number).map(({ value }) => value);
const messages = (bytes: Buffer, number: number) => all(bytes, number) as Buffer[];
const message = (bytes: Buffer, number: number) => messages(bytes, number)[0] ?? Buffer.alloc(0);
const integer = (bytes: Buffer, number: number) => Number(all(bytes, number)[0] ?? 0);
const text = (bytes: Buffer, number: number) => message(bytes, number).toString('utf8');
const hex = (bytes: Buffer, number: number) => message(bytes, number).toString('hex');

function readExport(body: Buffer): ReceivedSpan[] {
  return messages(body, 1).flatMap((resourceSpans) => {
    const resource = attributesOf(messages(message(resourceSpans, 1), 1));
    return messages(resourceSpans, 2)
      .flatMap((scopeSpans) => messages(scopeSpans, 2))
      .map((span) => ({
        traceId: hex(span, 1),
        spanId: hex(span, 2),
        parentId: hex(span, 4),
        name: text(span, 5),
        kind: integer(span, 6),
        startMs: integer(span, 7) / 1e6,
        endMs: integer(span, 8) / 1e6,
        attributes: attributesOf(messages(span, 9)),
        links: messages(span, 13).map((link) => hex(link, 2)),
        isFailed: integer(message(span, 15), 3) === 2,
        statusMessage: text(message(span, 15), 2),
        events: messages(span, 11).length,
        resource,
      }));
  });
}

function attributesOf(pairs: Buffer[]): Record<string, Value> {
  return Object.fromEntries(pairs.map((pair) => [text(pair, 1), anyValue(message(pair, 2))]));
}

function anyValue(bytes: Buffer): Value {
  const [field] = fieldsOf(bytes);
  if (!field) return undefined;
  const { number, value } = field;
  if (number === 1) return value.toString();
  if (number === 2) return value === 1n;
  if (number === 3) return Number(BigInt.asIntN(64, value as bigint));
  const double = Buffer.alloc(8);
  double.writeBigUInt64LE(value as bigint);
  return double.readDoubleLE();
}
