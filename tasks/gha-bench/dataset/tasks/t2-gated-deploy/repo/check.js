import { readFileSync } from 'node:fs';

if (!readFileSync('index.html', 'utf8').includes('<title>')) {
  console.error('no title');
  process.exit(1);
}
console.log('the site is fine');
