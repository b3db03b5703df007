/** The first message of a worker, when its program is loaded. */
export const WORKER_READY = 'ready';

/**
 * Creates a function that asks a web worker, one request after another. The worker is started for the first one. An answer
 * that takes longer than `mostMs` is undefined, and the worker is replaced. Loading the worker's program, which may take
 * long over a slow connection, does not count.
 */
export function createWorkerQueue<Request, Answer>(start: () => Worker, mostMs: number) {
  let worker: { self: Worker; loaded: Promise<void> } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function load(): { self: Worker; loaded: Promise<void> } {
    const self = start();
    const loaded = new Promise<void>((resolve, reject) => {
      self.onmessage = () => resolve();
      self.onerror = reject;
    });
    return { self, loaded };
  }

  async function ask(request: Request): Promise<Answer | undefined> {
    worker ??= load();
    const { self, loaded } = worker;
    const giveUp = () => {
      self.terminate();
      if (worker?.self === self) worker = undefined;
      return undefined;
    };
    try {
      await loaded;
    } catch {
      // Without its program, the page shows the text as it is.
      return giveUp();
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(giveUp()), mostMs);
      self.onmessage = ({ data }: MessageEvent<Answer>) => {
        clearTimeout(timer);
        resolve(data);
      };
      self.onerror = () => {
        clearTimeout(timer);
        resolve(giveUp());
      };
      self.postMessage(request);
    });
  }

  return (request: Request): Promise<Answer | undefined> => {
    const answer = last.then(() => ask(request));
    last = answer;
    return answer;
  };
}
