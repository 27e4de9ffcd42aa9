/**
 * Makes `common-passwords.bin` from the list of passwords of the package @zxcvbn-ts/language-common (MIT licence; it is
 * kept up to date and ordered by how often a password was found in leaks). The package itself would hold ten times the
 * memory at run time for this one list, and Inlet needs none of its other parts. To take a newer list:
 *
 *   npm pack @zxcvbn-ts/language-common && tar xzf zxcvbn-ts-language-common-*.tgz
 *   node bin/node.mjs src/domain/people/make-common-passwords.ts package/src/passwords.json
 *
 * The present file was made from version 4.1.3.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { digestBytes, digestOfWord } from './common-passwords.ts'

const [, , list] = process.argv
if (!list) throw new Error('Say where passwords.json is.')
const words = JSON.parse(readFileSync(list, 'utf8')) as string[]
const digests = new Set(words.map((word) => digestOfWord(word.normalize('NFKC').toLowerCase())))
const bytes = Buffer.alloc(digests.size * digestBytes)
for (const [place, digest] of [...digests].sort((left, right) => left - right).entries())
  bytes.writeUIntBE(digest, place * digestBytes, digestBytes)
writeFileSync(new URL('common-passwords.bin', import.meta.url), bytes)
