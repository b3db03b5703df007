import { type RefObject, useCallback, useEffect, useState } from 'react';

const PLAYER_ORIGIN = 'https://www.youtube-nocookie.com';

interface PlayerState {
  seconds: number;
  duration: number;
}

/** Controls the embedded player with messages only, so that no script of YouTube runs in this page. */
export function useYouTubePlayer(frame: RefObject<HTMLIFrameElement | null>, isLoaded: boolean) {
  const [state, setState] = useState<PlayerState>({ seconds: 0, duration: 0 });

  const send = useCallback(
    (message: object) => frame.current?.contentWindow?.postMessage(JSON.stringify(message), PLAYER_ORIGIN),
    [frame],
  );

  useEffect(() => {
    if (!isLoaded) return;
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
  }, [frame, isLoaded]);

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
