import { DefaultDeserializer, DefaultSerializer } from 'node:v8';

/**
 * Encodes a message: the number of parts, the length of each, then the parts. The first part is the value in V8's format;
 * each byte array in it is a separate part. So bytes are never copied into one large message, and the reader copies each
 * chunk to its final place: a large message blocks the event loop of neither side.
 */
export function writeFrame(value: unknown): Buffer[] {
  const bytes: Uint8Array[] = [];
  const serializer = new PartSerializer(bytes);
  serializer.writeHeader();
  serializer.writeValue(value);
  const parts = [serializer.releaseBuffer(), ...bytes.map(asBuffer)];
  const head = Buffer.alloc(4 * (parts.length + 1));
  head.writeUInt32LE(parts.length);
  for (const [index, part] of parts.entries()) head.writeUInt32LE(part.length, 4 * (index + 1));
  return [head, ...parts];
}

export function frameSize(frame: readonly Buffer[]): number {
  return frame.reduce((sum, part) => sum + part.length, 0);
}

/** The message is larger than the reader's limit. No memory was allocated for it. */
export class FrameTooLarge extends Error {}

const MAX_PARTS = 200_000;

/** Decodes messages from chunks, and calls `onFrame` with each value. */
export function createFrameReader(
  maxBytes: number,
  onFrame: (value: unknown) => void,
): (chunk: Buffer) => void {
  let target = Buffer.alloc(4);
  let filled = 0;
  let receive: (whole: Buffer) => void = readCount;
  let parts: Buffer[] = [];

  function expect(length: number, next: (whole: Buffer) => void): void {
    target = Buffer.allocUnsafeSlow(length);
    filled = 0;
    receive = next;
    // No chunk will arrive for an empty part.
    if (length === 0) next(target);
  }

  function readCount(head: Buffer): void {
    const count = head.readUInt32LE();
    if (count < 1 || count > MAX_PARTS) throw new FrameTooLarge(`A message of ${count} parts.`);
    expect(4 * count, readLengths);
  }

  function readLengths(lengths: Buffer): void {
    const sizes = Array.from({ length: lengths.length / 4 }, (_, index) => lengths.readUInt32LE(4 * index));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    if (total > maxBytes) throw new FrameTooLarge(`A message of ${total} bytes.`);
    parts = [];
    readParts(sizes, 0);
  }

  function readParts(sizes: number[], index: number): void {
    const size = sizes[index];
    if (size === undefined) {
      const [structure = Buffer.alloc(0), ...bytes] = parts;
      parts = [];
      expect(4, readCount);
      onFrame(deserialize(structure, bytes));
      return;
    }
    expect(size, (part) => {
      parts.push(part);
      readParts(sizes, index + 1);
    });
  }

  return (chunk) => {
    let offset = 0;
    while (offset < chunk.length) {
      const copied = chunk.copy(target, filled, offset);
      filled += copied;
      offset += copied;
      if (filled === target.length) receive(target);
    }
  };
}

function deserialize(structure: Buffer, bytes: Buffer[]): unknown {
  const deserializer = new PartDeserializer(structure, bytes);
  deserializer.readHeader();
  return deserializer.readValue();
}

class PartSerializer extends DefaultSerializer {
  readonly #bytes: Uint8Array[];

  constructor(bytes: Uint8Array[]) {
    super();
    this.#bytes = bytes;
  }

  /** V8 calls this for every view of an array buffer. */
  _writeHostObject(view: ArrayBufferView): void {
    if (!(view instanceof Uint8Array))
      throw new TypeError('Tasks accept and return no typed arrays except byte arrays.');
    this.writeUint32(this.#bytes.push(view) - 1);
  }
}

class PartDeserializer extends DefaultDeserializer {
  readonly #bytes: Buffer[];

  constructor(structure: Buffer, bytes: Buffer[]) {
    super(structure);
    this.#bytes = bytes;
  }

  _readHostObject(): Uint8Array {
    const part = this.#bytes[this.readUint32()];
    if (!part) throw new Error('The message refers to a missing part.');
    return new Uint8Array(part.buffer, part.byteOffset, part.length);
  }
}

function asBuffer(view: Uint8Array): Buffer {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}
