/** The command line in this process, beside a gateway: what it prints, and how it ends. */

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inlet as runInlet } from '../../src/program.ts'
import type { Terminal } from '../../src/surfaces/command-line/command.ts'
import { atEnd } from './clean-up.ts'
import type { Answer, TestGateway } from './gateway.ts'

export type Said = { code: number; stdout: string; stderr: string }

/** From here on commands work on this gateway's database, and in a folder of their own. Answers their settings. */
export async function commandsOn(gateway: TestGateway) {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-command-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  const settings = {
    DATABASE_URL: gateway.database.url,
    INLET_MASTER_KEY: gateway.config.masterKey!.toString('base64'),
    INLET_DATA_DIR: folder,
    INLET_PUBLIC_URL: gateway.config.publicUrl,
  }
  Object.assign(process.env, settings)
  return settings
}

export async function inlet(...words: string[]): Promise<Said> {
  const output = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      output[name] += text
      return true
    },
  })
  const terminal = {
    ...{ stdout: stream('stdout'), stderr: stream('stderr') },
    on: () => terminal,
  } as unknown as Terminal
  return { code: await runInlet(words, terminal), ...output }
}

/** A wrong argument is reported with the usage of its command below; a refusal for another reason is reported alone. */
export function assertUsageProblem(stderr: string, words: readonly string[], sentence: string): void {
  const isWrongWord = !/^([a-z_]+: |inlet start |\/)/.test(sentence)
  const [first, usage = ''] = stderr.trimEnd().split('\n\n')
  assert.equal(first, sentence)
  assert.match(usage, isWrongWord ? new RegExp(`^ {2}inlet ${words[0]} `) : /^$/)
}

/** The one JSON document that a command printed. */
export async function json(...words: string[]): Promise<Answer['body']> {
  const { code, stdout, stderr } = await inlet(...words, '--json')
  // On a slow machine long work tells how far it is.
  const text = stderr.replace(/^(reading|matching|undoing|storing|fetching|checking|filling): .*\n/gm, '')
  assert.deepEqual([code, text], [0, ''], words.join(' '))
  return JSON.parse(stdout)
}
