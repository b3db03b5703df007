import { setImmediate } from 'node:timers/promises';

/**
 * Looks up equal keys once when they are asked for in the same turn of the event loop, as a browser that opens a page does
 * with its session. The statement is sent after all of them were asked for, so each caller sees everything that was
 * committed before.
 */
export function shareLookups<Key, Found>(
  find: (key: Key) => PromiseLike<Found>,
  nameOf: (key: Key) => string,
): (key: Key) => Promise<Found> {
  const waiting = new Map<string, Promise<Found>>();

  async function findLater(key: Key, name: string): Promise<Found> {
    await setImmediate();
    waiting.delete(name);
    return find(key);
  }

  return (key) => {
    const name = nameOf(key);
    const shared = waiting.get(name) ?? findLater(key, name);
    waiting.set(name, shared);
    return shared;
  };
}
