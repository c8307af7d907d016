/**
 * How long connecting to Postgres may take. A server that is unavailable refuses at once, and one on a busy machine took more than
 * 3 s at load 20 and more than 10 s at load 30. One that restarts (2.6 s measured) is waited for by the caller's retries, not
 * by a hanging connect. It is the client's limit and not the pool's: that would end the wait for a free connection as well,
 * and of hundreds of model calls that begin at once some wait longer on a busy machine.
 */
export const CONNECT_TIMEOUT_MS = 30_000;

/** The same where somebody waits at a terminal for the answer whether a server is there. */
export const LOOK_TIMEOUT_MS = 10_000;
