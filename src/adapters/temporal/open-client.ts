import { Client, type Connection } from '@temporalio/client';
import type { TemporalNames } from '../../domain/temporal-names.js';

/** A namespace as one installation sees it: other installations may share it. */
export interface OwnNamespace {
  client: Client;
  names: TemporalNames;
}

/** A client for campaigns over a connection, which stays the caller's to close. */
export function openClient(connection: Connection, namespace: string): Client {
  return new Client({ connection, namespace });
}
