import './video.css';
import { useQuery } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { Fragment } from '../api/types.ts';
import { hasNoSelection } from '../highlights/selection.ts';
import { titleOf } from '../library/format.ts';
import { fragmentsQuery } from '../library/queries.ts';
import { SkeletonText } from '../ui/states.tsx';
import { useWindowEvent } from '../ui/use-window-event.ts';
import { ArticleHead } from './article-view.tsx';
import type { ViewProps } from './reader-page.tsx';

/** Shows a video and its transcript. Clicking a line seeks to it, and the current line is marked. */
export default function VideoView({ media, target, onMove }: ViewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  /** The second that the player was started at; undefined before it is loaded. */
  const [startedAt, setStartedAt] = useState<number>();
  const isLoaded = startedAt !== undefined;
  const player = useYouTubePlayer(frame);
  const { data: fragments, isPending } = useQuery({
    ...fragmentsQuery(media.id),
    enabled: media.capabilities.can_read,
  });
  const { seconds, duration } = player;
  const latest = useRef(onMove);
  latest.current = onMove;
  useEffect(() => {
    if (seconds > 0 && duration > 0) latest.current(seconds / duration, { seconds: Math.floor(seconds) });
  }, [seconds, duration]);

  const { position } = target;
  const visited = position.fragment === undefined ? undefined : fragments?.[position.fragment];
  const start = position.seconds ?? (visited?.t_start_ms ?? 0) / 1000;
  const seek = (next: number) => (isLoaded ? player.seek(next) : setStartedAt(next));
  // Going to a visited line, and back to the place, seeks a player that is loaded.
  const goToTarget = useRef(() => {});
  goToTarget.current = () => {
    if (isLoaded) player.seek(start);
  };
  const shown = useRef(target);
  useEffect(() => {
    if (shown.current === target) return;
    shown.current = target;
    goToTarget.current();
  }, [target]);
  const source = new URL(`https://www.youtube-nocookie.com/embed/${media.provider_id}`);
  source.search = new URLSearchParams({
    enablejsapi: '1',
    autoplay: '1',
    rel: '0',
    start: String(Math.floor(startedAt ?? 0)),
    origin: window.location.origin,
  }).toString();

  return (
    <article className="reader-column reader-column-full">
      <ArticleHead media={media} />
      <div className="video">
        <div className="video-frame">
          {isLoaded ? (
            <iframe
              ref={frame}
              src={source.href}
              title={titleOf(media)}
              allow="autoplay; encrypted-media; fullscreen; picture-in-picture"
              referrerPolicy="strict-origin-when-cross-origin"
              onLoad={player.listen}
            />
          ) : (
            <button type="button" className="video-poster" onClick={() => setStartedAt(start)}>
              {media.cover_url && <img src={media.cover_url} alt="" />}
              <span className="video-play">
                <Play size={28} aria-hidden />
              </span>
              <span className="video-consent">
                {start > 0 ? `${visited ? 'Play' : 'Continue'} at ${timeOf(start)}` : 'Play'} · loads the
                player from YouTube
              </span>
            </button>
          )}
        </div>
        <section className="transcript" aria-label="Transcript">
          <h2 className="contents-title">Transcript</h2>
          {!media.capabilities.can_read && (
            <p className="muted">{media.last_error_message ?? 'This video has no transcript.'}</p>
          )}
          {media.capabilities.can_read && isPending && <SkeletonText lines={12} />}
          {fragments && <Lines fragments={fragments} start={start} seconds={seconds} onSeek={seek} />}
        </section>
      </div>
    </article>
  );
}

interface LinesProps {
  fragments: Fragment[];
  /** The second to start at: the one that the person has watched to, or that of a line that a link leads to. */
  start: number;
  /** The second that the player is at; 0 before it plays. */
  seconds: number;
  onSeek: (to: number) => void;
}

function Lines({ fragments, start, seconds, onSeek }: LinesProps) {
  const list = useRef<HTMLOListElement>(null);
  const isPlaying = seconds > 0;
  const at = (isPlaying ? seconds : start) * 1000;
  const line = fragments.findLastIndex(({ t_start_ms }) => t_start_ms !== null && t_start_ms <= at);
  useEffect(() => {
    const element = list.current?.children[line];
    if (!(element instanceof HTMLElement) || !list.current) return;
    const top = element.offsetTop - list.current.clientHeight / 3;
    list.current.scrollTo({ top, behavior: isPlaying ? 'smooth' : 'instant' });
  }, [line, isPlaying]);
  return (
    <ol ref={list} className="transcript-lines">
      {fragments.map(({ id, canonical_text, t_start_ms }, index) => {
        const second = (t_start_ms ?? 0) / 1000;
        return (
          <li key={id} className="transcript-line" aria-current={at > 0 && index === line}>
            <button
              type="button"
              className="transcript-time"
              aria-label={`Jump to ${timeOf(second)}`}
              onClick={() => onSeek(second)}
            >
              {timeOf(second)}
            </button>
            {/* biome-ignore lint/a11y: the time is a button for the keyboard; text in a button cannot be selected */}
            <span className="transcript-text" dir="auto" onClick={() => hasNoSelection() && onSeek(second)}>
              {canonical_text}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function timeOf(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const padded = String(rest).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${padded}` : `${minutes}:${padded}`;
}

const PLAYER_ORIGIN = 'https://www.youtube-nocookie.com';

interface PlayerState {
  seconds: number;
  duration: number;
}

/** Controls the embedded player with messages only, so that no script of YouTube runs in this page. */
function useYouTubePlayer(frame: RefObject<HTMLIFrameElement | null>) {
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
