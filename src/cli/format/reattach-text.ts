import type { Background } from '../../client/control/background.js';

/** What becomes of a campaign that nobody watches, and the command that goes back to it. */
export function reattachText(id: string, background: Background): string {
  const watch = `reattach: durabench status ${id} --watch`;
  switch (background.state) {
    case 'ended':
      return `${id} has ended (${background.status.replace('_', ' ')}); see its result: durabench report ${id}${background.status === 'cancelled' ? `; go on with: durabench resume ${id}` : ''}`;
    case 'idle':
      return `no workflow runs ${id} now; go on with: durabench resume ${id}`;
    case 'paused':
      return `${id} is paused; go on with: durabench resume ${id}`;
    case 'waiting':
      return `${id} goes on once the stack is up (${background.problem}); ${watch}`;
    case 'running':
      return `${id} continues in the background; ${watch}`;
    case 'ending':
      return `${id} ends by itself; ${watch}`;
    case 'unknown':
      return watch;
  }
}
