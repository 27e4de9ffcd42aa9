/** `npm run test:deploy`: what systemd itself says of deploy/inlet.service. Skipped where systemd-analyze is not installed. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { root, versionOf } from './proxy.ts'

const unit = join(root, 'deploy/inlet.service')
const skip = versionOf('systemd-analyze', ['--version']) ? false : 'systemd-analyze is not installed'

test('systemd rates the sandbox at 2.5 or better', { skip }, (t) => {
  const said = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unit], {
    encoding: 'utf8',
  })
  const [, level] = /Overall exposure level for inlet\.service: ([\d.]+)/.exec(said.stdout) ?? []
  assert.ok(level, said.stderr)
  t.diagnostic(`exposure level ${level}`)
  assert.ok(Number(level) <= 2.5, level)
})
