import { remainingSeconds } from '../../domain/statistics/remaining-time.js';
import { durationRange } from './number-text.js';

/** What has ended since watching began. */
export interface Pace {
  ended: number;
  seconds: number;
}

/** `about 3 to 8 min left`, nine times in ten if the pace stays; null where too few have ended. */
export function timeLeft(pace: Pace, left: number): string | null {
  const range = remainingSeconds({ ...pace, left });
  return range && `about ${durationRange(range)} left`;
}
