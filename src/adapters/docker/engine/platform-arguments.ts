/** pip's options for the wheels of one Python (`3.11`) on one machine type (`x86_64`), whatever Python and machine pip itself runs on. */
export function platformArguments(python: string, machine: string): string[] {
  const glibc = ['2_36', '2_35', '2_34', '2_31', '2_28', '2_27', '2_26', '2_24', '2_17'];
  const platforms = [...glibc.map((version) => `manylinux_${version}_${machine}`), `manylinux2014_${machine}`];
  return [
    ...['--python-version', python, '--implementation', 'cp'],
    ...['--abi', `cp${python.replace('.', '')}`, '--abi', 'abi3', '--abi', 'none'],
    ...platforms.flatMap((platform) => ['--platform', platform]),
  ];
}
