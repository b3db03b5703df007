import { type RefObject, useCallback, useState } from 'react';
import { useWindowEvent } from '../ui/use-window-event.ts';

const PLAYER_ORIGIN = 'https://www.youtube-nocookie.com';

interface PlayerState {
  seconds: number;
  duration: number;
}

/** Controls the embedded player with messages only, so that no script of YouTube runs in this page. */
export function useYouTubePlayer(frame: RefObject<HTMLIFrameElement | null>) {
  const [state, setState] = useState<PlayerState>({ seconds: 0, duration: 0 });

  const send = useCallback(
    (message: object) => frame.current?.contentWindow?.postMessage(JSON.stringify(message), PLAYER_ORIGIN),
    [frame],
  );

  useWindowEvent('message', ({ origin, source, data }) => {
    const isPlayer = origin === PLAYER_ORIGIN && source === frame.current?.contentWindow;
    const info = isPlayer && typeof data === 'string' ? infoOf(data) : undefined;
    if (!info) return;
    setState((current) => ({
      seconds: info.currentTime ?? current.seconds,
      duration: info.duration ?? current.duration,
    }));
  });

  return {
    ...state,
    /** Asks the player to report its position. Call it after the frame has loaded. */
    listen: useCallback(() => void send({ event: 'listening', id: 1, channel: 'widget' }), [send]),
    seek: useCallback(
      (seconds: number) => {
        send({ event: 'command', func: 'seekTo', args: [seconds, true] });
        send({ event: 'command', func: 'playVideo', args: [] });
      },
      [send],
    ),
  };
}

function infoOf(text: string): { currentTime?: number; duration?: number } | undefined {
  try {
    const { info } = JSON.parse(text);
    if (typeof info !== 'object' || info === null) return undefined;
    return {
      ...(typeof info.currentTime === 'number' && { currentTime: info.currentTime }),
      ...(typeof info.duration === 'number' && { duration: info.duration }),
    };
  } catch {
    return undefined;
  }
}
