import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, faultFields, type LogFields, logLevels } from './log.ts'

function written(least: 'debug' | 'info' | 'warn' | 'error' = 'debug') {
  const lines: string[] = []
  return { lines, log: createLog(least, (line) => lines.push(line)) }
}

test('a line is one JSON object: time, level, message, then the fields', () => {
  const { lines, log } = written()
  log.info('request', { request_id: 'req_1', status: 201, ms: 4 })
  assert.ok(lines[0]!.endsWith('}\n') && lines[0]!.indexOf('\n') === lines[0]!.length - 1)
  const { time, ...line } = JSON.parse(lines[0]!)
  assert.equal(new Date(time).toISOString(), time)
  assert.deepEqual(line, { level: 'info', message: 'request', request_id: 'req_1', status: 201, ms: 4 })
})

test('text from outside cannot begin a line of its own', () => {
  const { lines, log } = written()
  log.warn('odd\n{"level":"error"}', { error: 'a\nb' })
  assert.equal(lines.length, 1)
  assert.equal(lines[0]!.match(/\n/g)!.length, 1)
})

test('a field that is not listed is dropped, whatever object it came with', () => {
  const { lines, log } = written()
  const careless = {
    route: '/x',
    secret: 'canary',
    number: '2200000000000012',
    phone: '+79991234567',
    body: { customer: 'canary' },
    headers: { 'x-signature': 'canary' },
  }
  log.error('fault', careless as LogFields)
  const { time: _time, ...line } = JSON.parse(lines[0]!)
  assert.deepEqual(Object.keys(line).sort(), ['level', 'message', 'route'])
})

test('an undefined field is left out', () => {
  const { lines, log } = written()
  log.info('x', { code: undefined, pid: 0 })
  assert.deepEqual(Object.keys(JSON.parse(lines[0]!)), ['time', 'level', 'message', 'pid'])
})

for (const [least, expected] of [
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['info', ['info', 'warn', 'error']],
  ['warn', ['warn', 'error']],
  ['error', ['error']],
] as const) {
  test(`at level ${least} these are written: ${expected.join(', ')}`, () => {
    const { lines, log } = written(least)
    for (const level of logLevels) log[level]('x')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).level),
      expected,
    )
  })
}

/** What pg throws: the server's fields on an Error. */
const databaseError = (message: string) =>
  Object.assign(new Error(message), {
    name: 'error',
    severity: 'ERROR',
    code: '23505',
    constraint: 'deposit_order_once',
    detail: 'Key (customer_phone_number)=(+79991234567) already exists.',
    hint: 'canary',
    where: 'canary',
    table: 'deposits',
  })

test('a database error is logged with name, state, constraint and frames, never with message or details', () => {
  const fields = faultFields(databaseError('duplicate key value: 2200000000000012'))
  assert.deepEqual(
    { ...fields, stack: undefined },
    {
      error: 'error from the database',
      sqlstate: '23505',
      code: undefined,
      constraint: 'deposit_order_once',
      stack: undefined,
    },
  )
  assert.match(String(fields.stack), /^at .*log\.test\.ts/)
  for (const secret of ['+79991234567', '2200000000000012', 'canary']) {
    assert.ok(!JSON.stringify(fields).includes(secret), secret)
  }
})

test('a database message of several lines does not reach the log as if it were stack frames', () => {
  const fields = faultFields(databaseError('invalid input syntax: "first\nsecond 2200000000000012"'))
  assert.ok(!JSON.stringify(fields).includes('2200000000000012'), String(fields.stack))
})

test('another fault keeps its name, message, code and at most seven frames', () => {
  const fault = Object.assign(new TypeError('x is undefined'), { code: 'ERR_X' })
  fault.stack = ['TypeError: x is undefined', ...Array.from({ length: 20 }, (_, n) => `    at f${n}`)].join(
    '\n',
  )
  assert.deepEqual(faultFields(fault), {
    error: 'TypeError: x is undefined',
    sqlstate: undefined,
    code: 'ERR_X',
    constraint: undefined,
    stack: 'at f0 | at f1 | at f2 | at f3 | at f4 | at f5 | at f6',
  })
})

test('a thrown value that is no error is logged by its type alone', () => {
  for (const [thrown, expected] of [
    ['2200000000000012', { error: 'string' }],
    [undefined, { error: 'undefined' }],
    [{ secret: 'canary' }, { error: 'object' }],
    [null, { error: 'object' }],
  ] as const) {
    assert.deepEqual(faultFields(thrown), expected)
  }
})

test('a line commands no terminal and reads in the order it is written in', () => {
  const lines: string[] = []
  const hostile = '\u001b[31m \u009b31m \u202eabc\u2066 \u2028'
  createLog('info', (line) => lines.push(line)).info('x', { error: hostile })
  assert.match(lines[0]!, /^[ -~]+\n$/)
  assert.equal(JSON.parse(lines[0]!).error, hostile)
})

function readable(least: 'debug' | 'info' | 'warn' = 'info') {
  const lines: string[] = []
  return { lines, log: createLog(least, (line) => lines.push(line), { form: 'text' }) }
}

test('for a person a fault is one line: time, level, sentence, listed facts, and where', () => {
  const { lines, log } = readable()
  const careless = {
    status: 500,
    ms: 4,
    error: 'TypeError: a\nb \u001b[31m',
    stack: 'at f1 | at f2',
    secret: 'canary',
  }
  log.error('request failed', careless as LogFields)
  assert.equal(lines.length, 1)
  assert.match(
    lines[0]!,
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ error request failed \(status 500, ms 4, error TypeError: a\\nb \\u001b\[31m, stack at f1\)\n$/,
  )
})

test('steps are for people, events for programs', () => {
  const [text, json, quiet] = [readable(), written('info'), readable('warn')]
  for (const { log } of [text, json, quiet]) {
    log.step('Preparing the database …')
    log.event('migrated', { migration: '0001-first.sql' })
  }
  assert.deepEqual(text.lines, ['Preparing the database …\n'])
  assert.deepEqual(
    json.lines.map((line) => JSON.parse(line).message),
    ['migrated'],
  )
  assert.deepEqual(quiet.lines, [])
})
