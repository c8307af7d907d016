import { Client, type Connection } from '@temporalio/client';

/** A client for campaigns over a connection, which stays the caller's to close. */
export function openClient(connection: Connection, namespace: string): Client {
  return new Client({ connection, namespace });
}
