/** Russian words of the consoles that no type can hold. */

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { actName } from '../src/sections/act-names.ts'
import { signInWays } from '../src/sections/audit.ts'
import { allSections } from '../src/sections/sections.ts'

const root = resolve(import.meta.dirname, '..')
const files = (...patterns: string[]) =>
  globSync(patterns, { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
const read = (file: string) => readFileSync(resolve(root, file), 'utf8')

test('in the consoles a merchant and an approver have one Russian word each; a shop is what customers and the demo have', () => {
  const spoken = files(
    'src/surfaces/{console,desk,entrance,staff}/**/*words*.ts',
    'src/surfaces/staff/sentences/*.ts',
    'src/surfaces/office/*.ts',
    'src/sections/*.ts',
  ).flatMap((file) =>
    read(file)
      .split('\n')
      .filter((line) => /(?<!Демо-)магазин|утверждающ/i.test(line))
      .map((line) => line.trim()),
  )
  // What the customer's page will say.
  assert.deepEqual(spoken, [
    "'На платёжной странице появится, что магазин отменил оплату. Номер заказа нельзя использовать снова. Отменить это действие нельзя.',",
  ])
})

test('every act of the record has a name in English and in Russian', () => {
  const acts = files(
    'src/{domain/{audit,people,keys,statements,transfers,approvals},sections,surfaces}/**/*.ts',
  ).flatMap((file) =>
    [...read(file).matchAll(/\b(?:act|audit): '(\w+)'|note\(tx, '(\w+)'/g)].map(
      ([, act, noted]) => act ?? noted!,
    ),
  )
  assert.ok(acts.length > 30, `${acts.length} found`)
  assert.deepEqual(
    acts.filter((act) => /_/.test(act) && actName(allSections, act)[0] === act),
    [],
  )
})

test('every way of signing in has a name in English and in Russian', () => {
  const ways = files('src/domain/people/**/*.ts').flatMap((file) =>
    [...read(file).matchAll(/\bhow: '([^']+)'/g)].map(([, way]) => way!),
  )
  assert.ok(ways.length > 5, `${ways.length} found`)
  assert.deepEqual(
    ways.filter((way) => !Object.hasOwn(signInWays, way)),
    [],
  )
})
