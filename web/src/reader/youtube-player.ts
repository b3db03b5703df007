import { type RefObject, useCallback, useEffect, useState } from 'react';

const PLAYER_ORIGIN = 'https://www.youtube-nocookie.com';

interface PlayerState {
  seconds: number;
  duration: number;
}

/** Speaks with the embedded player by messages alone: none of YouTube's scripts run in this page. */
export function useYouTubePlayer(frame: RefObject<HTMLIFrameElement | null>, isThere: boolean) {
  const [state, setState] = useState<PlayerState>({ seconds: 0, duration: 0 });

  const tell = useCallback(
    (message: object) => frame.current?.contentWindow?.postMessage(JSON.stringify(message), PLAYER_ORIGIN),
    [frame],
  );

  useEffect(() => {
    if (!isThere) return;
    const onMessage = ({ origin, source, data }: MessageEvent) => {
      if (origin !== PLAYER_ORIGIN || source !== frame.current?.contentWindow || typeof data !== 'string')
        return;
      const info = infoOf(data);
      if (!info) return;
      setState((current) => ({
        seconds: info.currentTime ?? current.seconds,
        duration: info.duration ?? current.duration,
      }));
    };
    window.addEventListener('message', onMessage);
    return () => window.removeEventListener('message', onMessage);
  }, [frame, isThere]);

  return {
    ...state,
    /** Asks the player to report; once it has loaded. */
    listen: useCallback(() => void tell({ event: 'listening', id: 1, channel: 'widget' }), [tell]),
    seek: useCallback(
      (seconds: number) => {
        tell({ event: 'command', func: 'seekTo', args: [seconds, true] });
        tell({ event: 'command', func: 'playVideo', args: [] });
      },
      [tell],
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
