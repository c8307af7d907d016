/** What a rule of the scripted model asks of a player: its manner, and the symbols it is about (all where none is named). */
export interface Play {
  as: string;
  units?: string[] | undefined;
  /** How often it is right, from 0 to 1, and what decides where; for manners that have a skill. */
  skill?: number | undefined;
  seed?: number | undefined;
}

/** Answers for the scripted model what a conversation of its suite asks, for one library it knows. */
export interface ScriptedPlayer {
  /** The manners it has: right, and each way to be wrong. */
  plays: readonly string[];
  answer(messages: readonly { role: string; content: string }[], play: Play): string;
}
