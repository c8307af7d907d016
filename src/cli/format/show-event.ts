import type { ClientEvent } from '../../client/context.js';
import { duration } from '../../report/text/number-text.js';
import type { Output } from './output.js';

/** An event of the client as a line beside the results. */
export function showEvent(output: Output, event: ClientEvent): void {
  switch (event.type) {
    case 'notice':
    case 'waiting':
      return output.say(event.message);
    case 'detail':
      return output.detail(event.message);
    case 'warning':
      return output.warn(event.message);
    case 'step':
      return output.say(`${event.step.padEnd(9)} ${event.message}`);
    case 'step-ended': {
      const prefix = event.step.padEnd(9);
      const took = duration(event.seconds);
      return event.ok ? output.say(`${prefix} done (${took})`) : output.warn(`${prefix} failed (${took})`);
    }
  }
}
