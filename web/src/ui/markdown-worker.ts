import { micromark } from 'micromark';
import { WORKER_READY } from './worker-queue.ts';

self.onmessage = ({ data }: MessageEvent<string>) => self.postMessage(micromark(data));
self.postMessage(WORKER_READY);
