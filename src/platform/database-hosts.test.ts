import assert from 'node:assert/strict'
import { test } from 'node:test'
import { urlPerHost } from './database-hosts.ts'

test('a URL of several hosts is one URL for each', () => {
  for (const [url, urls] of [
    ['postgres://u:p@a/inlet', ['postgres://u:p@a/inlet']],
    [
      'postgres://u:p,q@a:1,[::1]:2,c/inlet?x=1,2',
      [
        'postgres://u:p,q@a:1/inlet?x=1,2',
        'postgres://u:p,q@[::1]:2/inlet?x=1,2',
        'postgres://u:p,q@c/inlet?x=1,2',
      ],
    ],
    ['postgres://u@/inlet?host=%2Frun', ['postgres://u@/inlet?host=%2Frun']],
    ['postgres:///inlet', ['postgres:///inlet']],
  ] as const)
    assert.deepEqual(urlPerHost(url), urls)
})
