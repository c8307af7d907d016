/** A value that survives Temporal's JSON converter and Postgres jsonb unchanged: no Map, Set, Date, bigint or undefined. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };
