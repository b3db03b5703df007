import { Link } from '@tanstack/react-router';
import { Ellipsis, Eye, History, Pencil, Play, Trash2 } from 'lucide-react';
import { api } from '../api/client.ts';
import { queryKeys } from '../api/queries.ts';
import type { Rule } from '../api/types.ts';
import { Button, buttonClass, IconButton } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { Switch } from '../ui/switch.tsx';
import { useAction } from '../ui/use-action.ts';
import { LibraryWarning, RuleSentence } from './rule-sentence.tsx';
import type { Asked } from './rules-page.tsx';
import { useStartRun } from './start-run.ts';

/** A rule with its switch and actions. */
export function RuleCard({ rule, onAsk }: { rule: Rule; onAsk: (asked: Asked) => void }) {
  const { id, name, is_enabled } = rule;
  const switching = useAction({
    run: (isOn: boolean) => api.patchData<Rule>(`/rules/${id}`, { is_enabled: isOn }),
    stale: [queryKeys.rules()],
  });
  const startRun = useStartRun();
  const isOn = switching.isPending ? switching.variables : is_enabled;
  return (
    <li className="rule-card" data-enabled={isOn}>
      <div className="rule-head">
        <h2 className="rule-name" dir="auto">
          {name}
        </h2>
        <span className="rule-state">{isOn ? 'On' : 'Off'}</span>
        <Switch
          label={`Apply ${name} to what I save`}
          isOn={isOn}
          onChange={(next) => switching.mutate(next)}
        />
        <Menu
          trigger={<IconButton label={`Actions for the rule ${name}`} icon={Ellipsis} withTooltip={false} />}
        >
          <MenuItem label="Edit" icon={Pencil} onSelect={() => onAsk({ what: 'edit', rule })} />
          <MenuItem label="Delete" icon={Trash2} danger onSelect={() => onAsk({ what: 'delete', rule })} />
        </Menu>
      </div>
      <RuleSentence {...rule} />
      <LibraryWarning {...rule} />
      <div className="rule-foot">
        <Button
          size="small"
          icon={Eye}
          aria-label={`Preview: ${name}`}
          busy={startRun.isPending}
          onClick={() => startRun.mutate({ rule, isDryRun: true })}
        >
          Preview
        </Button>
        <Button
          size="small"
          icon={Play}
          aria-label={`Apply to existing items: ${name}`}
          onClick={() => onAsk({ what: 'run', rule })}
        >
          Apply to existing items
        </Button>
        <Link
          to="/rules/runs"
          search={{ rule: id }}
          className={buttonClass('ghost', 'small')}
          aria-label={`Runs of ${name}`}
        >
          <History size={16} aria-hidden />
          Runs
        </Link>
      </div>
    </li>
  );
}
