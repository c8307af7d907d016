import { createHmac } from 'node:crypto';

/** HMAC-SHA256 in hex of what is drawn, keyed with a campaign's secret. Not for workflow code (node:crypto). */
export function drawingKey(secret: string, taskId: string | null, purpose: string): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([taskId, purpose]))
    .digest('hex');
}
