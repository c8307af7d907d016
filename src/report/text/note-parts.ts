/** A note of ours in parts: its commands and names of settings, which stand in backticks, are code. */
export function noteParts(note: string): { text: string; isCode: boolean }[] {
  const parts = note.split('`');
  // One without its partner is a backtick.
  if (parts.length % 2 === 0) return [{ text: note, isCode: false }];
  return parts.map((text, index) => ({ text, isCode: index % 2 === 1 }));
}
