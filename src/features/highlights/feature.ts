import type { RunByCost } from '../../platform/processes/by-cost.ts';
import type { Feature, Platform } from '../feature.ts';
import { createHighlights } from './highlights.ts';
import { createHighlightCheck } from './integrity.ts';
import { createPlacement, moveHighlights } from './placement.ts';
import { createReplies } from './replies.ts';
import { registerReplyRoutes } from './reply-routes.ts';
import { registerHighlightRoutes } from './routes.ts';
import { countHighlights } from './store.ts';
import type { highlightWork } from './work.ts';

/** Called by earlier features, which know no highlights: when one media replaces another, and before a member is removed. */
export const highlightHooks = { onReplace: moveHighlights, countHighlights };

interface HighlightsFeatureDependencies extends Pick<Platform, 'sql'> {
  texts: { run: RunByCost<typeof highlightWork> };
}

export function createHighlightsFeature({ sql, texts }: HighlightsFeatureDependencies) {
  const services = { highlights: createHighlights({ sql }), replies: createReplies({ sql }) };
  const placement = createPlacement({ sql, run: texts.run });
  return {
    name: 'highlights',
    services,
    routes(api) {
      registerHighlightRoutes(api, services.highlights);
      registerReplyRoutes(api, services.replies);
    },
    jobTypes: [placement.type],
    periodic: placement.periodic,
    subscribers: [placement.subscriber],
    checks: [createHighlightCheck(sql)],
  } satisfies Feature;
}
