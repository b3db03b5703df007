import { Bookmark } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button, buttonClass } from '../ui/button.tsx';
import { showToast } from '../ui/toasts.ts';

/** The code of a bookmarklet that opens the save page in a window or, if that is blocked, in the same tab. */
export function bookmarkletFor(origin: string): string {
  const page = JSON.stringify(`${origin}/app/save?url=`);
  return (
    `javascript:(()=>{const u=${page}+encodeURIComponent(location.href)+'&title='+encodeURIComponent(document.title);` +
    `window.open(u,'nexus-save','width=480,height=560')||(location.href=u)})()`
  );
}

/** The bookmarklet as a link to drag, and a button that copies its code. */
export function Bookmarklet() {
  const link = useRef<HTMLAnchorElement>(null);
  const code = bookmarkletFor(window.location.origin);
  // Set in an effect because React rejects javascript: addresses. The Content-Security-Policy keeps it from running here.
  useEffect(() => link.current?.setAttribute('href', code), [code]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(code);
      showToast('Copied. Create a bookmark and paste this as its address.');
    } catch {
      showToast('The browser does not allow copying here. Drag the button instead.');
    }
  }

  return (
    <>
      <p>Drag this button to your bookmarks bar. Click it on any page to save that page to Nexus.</p>
      <div className="transfer-actions">
        <a
          ref={link}
          href="/app/save"
          className={buttonClass('secondary')}
          onClick={(event) => {
            event.preventDefault();
            showToast('Drag it to your bookmarks bar and click it there.');
          }}
        >
          <Bookmark size={16} aria-hidden />
          Save to Nexus
        </a>
        <Button look="ghost" onClick={() => void copy()}>
          Copy code
        </Button>
      </div>
      <p className="field-hint">
        On a phone, add Nexus to the home screen in the browser’s menu. It then appears in the share menu.
      </p>
    </>
  );
}
