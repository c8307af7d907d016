import { Client, type ConnectionLike } from '@temporalio/client';
import type { TemporalNames } from '../../domain/temporal-names.js';

/** A namespace as one installation sees it: other installations may share it. */
export interface OwnNamespace {
  client: Client;
  names: TemporalNames;
  /** The workflow code that workflows are started on now: digest of its bundle. */
  code: () => Promise<string>;
}

/** A client for campaigns over a connection, which stays the caller's to close. */
export function openClient(connection: ConnectionLike, namespace: string): Client {
  return new Client({ connection, namespace });
}
