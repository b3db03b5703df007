import './side-panel.css';
import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { MediaWithOutline } from '../api/types.ts';
import { HighlightsTab } from '../highlights/highlights-tab.tsx';
import { RelatedTab } from '../related/related-tab.tsx';
import { IconButton } from '../ui/button.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { AnalysisTab } from './analysis-tab.tsx';
import { changeSidePanel, TABS, takeFocusDue, useSidePanelState } from './side-panel-state.ts';

/** The panel with highlights, analysis and related documents: a column on wide screens, a bottom sheet on narrow ones. */
export default function SidePanel({ media }: { media: MediaWithOutline }) {
  const { tab } = useSidePanelState();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const element = panel.current;
    if (takeFocusDue()) element?.querySelector<HTMLElement>('[role="tab"][data-state="active"]')?.focus();
    return () => {
      // Returns the focus to where it was before.
      const isInside = document.activeElement === document.body || element?.contains(document.activeElement);
      if (isInside && before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside ref={panel} className="side-panel" aria-label="About this document">
      <IconButton
        label="Close panel"
        shortcut="Esc"
        icon={X}
        size="small"
        className="side-panel-close"
        onClick={() => changeSidePanel({ isOpen: false })}
      />
      <Tabs
        label="About this document"
        value={tab}
        onChange={(value) => changeSidePanel({ tab: TABS.find((known) => known === value) ?? 'highlights' })}
        tabs={[
          { value: 'highlights', label: 'Highlights', content: <HighlightsTab media={media} /> },
          { value: 'analysis', label: 'Analysis', content: <AnalysisTab media={media} /> },
          { value: 'related', label: 'Related', content: <RelatedTab mediaId={media.id} /> },
        ]}
      />
    </aside>
  );
}
