/** Has a model answer only the calls it is told to, so that a campaign gets as far as somebody wants, on any machine. */
export class AnswerGate {
  private allowed: Set<string> | 'all' = 'all';
  private waiting: { call: string; answer: () => void }[] = [];

  /** From now on nothing is answered. */
  hold(): void {
    this.allowed = new Set();
  }

  /** These calls are answered as well. */
  allow(calls: Iterable<string>): void {
    if (this.allowed === 'all') return;
    for (const call of calls) this.allowed.add(call);
    this.letPass();
  }

  /** Everything is answered. */
  open(): void {
    this.allowed = 'all';
    this.letPass();
  }

  /** Resolves when the call may be answered. */
  async pass(call: string): Promise<void> {
    if (this.isAllowed(call)) return;
    await new Promise<void>((answer) => this.waiting.push({ call, answer }));
  }

  private letPass(): void {
    const waited = this.waiting;
    this.waiting = waited.filter(({ call }) => !this.isAllowed(call));
    for (const { call, answer } of waited) if (this.isAllowed(call)) answer();
  }

  private isAllowed(call: string): boolean {
    return this.allowed === 'all' || this.allowed.has(call);
  }
}
