import { remainingSeconds } from '../../domain/statistics/remaining-time.js';
import { durationRange } from './number-text.js';

/** What has ended since watching began. */
export interface Pace {
  ended: number;
  seconds: number;
}

/** `; 5 of 28, about 3 to 8 min left`, behind a line that says what has ended since work began; nothing of one alone. */
export function placeText({ ended, of }: { ended: number; of: number }, begunAt: number): string {
  if (of === 1) return '';
  const guess = ended === of ? null : timeLeft({ ended, seconds: (Date.now() - begunAt) / 1000 }, of - ended);
  return `; ${ended} of ${of}${guess === null ? '' : `, ${guess}`}`;
}

/** `about 3 to 8 min left`, nine times in ten if the pace stays; null where too few have ended. */
export function timeLeft(pace: Pace, left: number): string | null {
  const range = remainingSeconds({ ...pace, left });
  return range && `about ${durationRange(range)} left`;
}
