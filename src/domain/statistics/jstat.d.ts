declare module 'jstat' {
  interface Distribution {
    cdf(value: number, ...parameters: number[]): number;
    inv(share: number, ...parameters: number[]): number;
  }
  const jstat: { normal: Distribution; chisquare: Distribution; studentt: Distribution };
  export = jstat;
}
