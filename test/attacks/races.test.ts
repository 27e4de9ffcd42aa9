/**
 * Races: the same act done many times at the same moment. In every round exactly one may win; every other attempt
 * that succeeds has got through. Two gateways stand on one database, so that no memory of a process can help.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setAside } from '../../src/domain/transfers/decide-transfer.ts'
import { sql } from '../../src/platform/db.ts'
import { attacksOf, behindProxy, fromAnywhere, isWhole, many, type Note } from '../support/attempts.ts'
import { accountOf, depositContextOf, transferTo } from '../support/bank.ts'
import { openShop, type Shop, signedPost, startGateway, type TestGateway } from '../support/gateway.ts'
import { codeNow, joined, PersonsBrowser, password } from '../support/person.ts'

const { attack, report } = attacksOf('races')
const rounds = (count: number) => Array.from({ length: many(count, 1) }, (_, round) => round)

let gateway: TestGateway
let beside: TestGateway
let shop: Shop
type Worker = Awaited<ReturnType<typeof joined>>
let operators: Worker[]
let approvers: Worker[]
before(async () => {
  gateway = await startGateway({ environment: behindProxy })
  beside = await startGateway({
    beside: gateway,
    environment: { ...behindProxy, INLET_ROLES: 'api,console' },
  })
  shop = await openShop(gateway)
  operators = [
    await joined(gateway, { operatorRole: 'operator' }),
    await joined(gateway, { operatorRole: 'operator' }),
  ]
  approvers = [
    await joined(gateway, { operatorRole: 'approver' }),
    await joined(gateway, { operatorRole: 'approver' }),
  ]
  await gateway.database.owner.script(`update installation set second_person_above = '{"RUB": "100000"}'`)
})

/** The same person at the other gateway. */
function atOther({ browser }: Worker): PersonsBrowser {
  const other = new PersonsBrowser(beside)
  other.cookie = browser.cookie
  other.csrf = browser.csrf
  return other
}

/** Notes one attempt for each that raced: all winners but one have got through. Nobody winning is a fault too. */
function oneWins(note: Note, name: string, won: readonly boolean[]): void {
  const winners = won.filter(Boolean).length
  for (const place of won.keys())
    note(`${name}: ${winners} of ${won.length} won`, place > 0 && place < winners)
  assert.ok(winners > 0, `${name}: nobody won`)
}

const stateOf = async (id: string) => (await shop.get(`/api/v1/requests/deposit/${id}`)).body.state as string
const changesTo = async (id: string, state: string): Promise<number> => {
  const [row] = await gateway.database.owner.query<{ count: number }>(
    sql`select count(*)::int as count from deposit_history where deposit_id = ${id} and to_state = ${state}`,
  )
  return row!.count
}

let amount = 700_000

attack('one proposal approved by two people at two gateways, each several times', async (note) => {
  for (const round of rounds(10)) {
    const { id } = (await shop.create({ cents: ++amount })).body
    const { browser } = operators[round % 2]!
    await browser.post(`/operator/deposits/${id}/take`)
    await browser.post(`/operator/deposits/${id}/confirm`, { reason: 'Seen' })
    const [proposal] = await gateway.database.owner.query<{ id: string }>(
      sql`select id from proposals where subject = ${`deposit:${id}`}`,
    )
    const page = `/operator/approvals/${proposal!.id}/approve`
    const browsers = approvers.flatMap((approver) => [
      approver.browser,
      atOther(approver),
      approver.browser,
      atOther(approver),
    ])
    const answers = await Promise.all(
      browsers.map((browser) => browser.post(page, { reason: 'Yes' }, fromAnywhere())),
    )
    oneWins(
      note,
      'approve',
      answers.map(({ location }) => location?.includes('done=approve') ?? false),
    )
    assert.deepEqual([await stateOf(id), await changesTo(id, 'confirmed')], ['confirmed', 1])
  }
})

attack('money given back several times at once', async (note) => {
  const accountId = await accountOf(gateway, (await shop.create({ cents: ++amount })).body.id)
  for (const _round of rounds(10)) {
    const transfer = await transferTo(gateway, accountId, { cents: 41_000n, purpose: 'For nobody' })
    await setAside(depositContextOf(gateway), {
      transferId: transfer,
      actor: 'operator:test',
      reason: 'Nobody’s',
    })
    const [worker] = operators
    const refund = `/operator/refunds/${transfer}`
    await worker!.browser.post(`${refund}/take`)
    const fields = { amount: '410.00', reason: 'Paid back' }
    const browsers = Array.from({ length: 6 }, (_, place) => (place % 2 ? worker!.browser : atOther(worker!)))
    const answers = await Promise.all(
      browsers.map((browser) => browser.post(`${refund}/paid`, fields, fromAnywhere())),
    )
    oneWins(
      note,
      'refund',
      answers.map(({ location }) => location?.includes('done=paid') ?? false),
    )
    const [row] = await gateway.database.owner.query<{ open: string }>(
      sql`select open_cents::text as open from transfers where id = ${transfer}`,
    )
    assert.equal(row!.open, '0')
  }
})

/** Somebody half signed in, several times over. */
async function halves({ email }: { email: string }, count: number): Promise<PersonsBrowser[]> {
  const browsers = Array.from(
    { length: count },
    (_, place) => new PersonsBrowser(place % 2 ? gateway : beside),
  )
  for (const browser of browsers) {
    const answer = await browser.post('/sign-in', { email, password }, fromAnywhere())
    assert.match(answer.location ?? '', /second/, `half signed in: ${answer.status}`)
    await browser.get('/sign-in/second')
  }
  return browsers
}

attack('one code of the authenticator, and one recovery code, shown by several at once', async (note) => {
  for (const round of rounds(3))
    for (const kind of isWhole ? ['totp', 'recovery'] : ['totp']) {
      // A different person each time, because the losers of a race have to wait.
      const { browser, email, secret } = await joined(gateway, { operatorRole: 'operator' })
      const { text } = await browser.post('/account/codes')
      const recovery = />([a-z0-9]{5}-[a-z0-9]{5})</.exec(text)?.[1]
      const code = kind === 'totp' ? await codeNow(gateway, secret!, 1n) : recovery
      assert.ok(code, 'a code')
      const browsers = await halves({ email }, many(4, 2))
      const answers = await Promise.all(
        browsers.map((browser) => browser.post('/sign-in/second', { code }, fromAnywhere())),
      )
      oneWins(
        note,
        `${kind}, round ${round}`,
        answers.map(({ status }) => status === 303),
      )
    }
})

attack('one deposit taken by two operators', async (note) => {
  for (const _round of rounds(20)) {
    const { id } = (await shop.create({ cents: ++amount })).body
    const take = `/operator/deposits/${id}/take`
    const answers = await Promise.all([
      operators[0]!.browser.post(take, {}, fromAnywhere()),
      atOther(operators[1]!).post(take, {}, fromAnywhere()),
    ])
    oneWins(
      note,
      'claim',
      answers.map(({ status }) => status === 303),
    )
  }
})

attack('a deposit canceled by its merchant while an operator confirms it', async (note) => {
  const [worker] = operators
  for (const _round of rounds(20)) {
    const { id } = (await shop.create({ cents: 90_000 + (++amount % 1_000) })).body
    await worker!.browser.post(`/operator/deposits/${id}/take`)
    const [canceled, confirmed] = await Promise.all([
      signedPost(beside, shop, `/api/v1/requests/deposit/${id}/cancel`),
      worker!.browser.post(`/operator/deposits/${id}/confirm`, { reason: 'Seen' }, fromAnywhere()),
    ])
    oneWins(note, 'cancel and confirm', [
      canceled.status === 200,
      confirmed.location?.includes('done=confirm') ?? false,
    ])
    const made = (await changesTo(id, 'canceled')) + (await changesTo(id, 'confirmed'))
    assert.equal(made, 1, await stateOf(id))
  }
})

test('control: what wins a race wins without one', async () => {
  const [worker] = operators
  const { id } = (await shop.create({ payment_type: 'any_bank', cents: 66_001 })).body
  assert.equal((await worker!.browser.post(`/operator/deposits/${id}/take`)).status, 303)
  const confirmed = await worker!.browser.post(`/operator/deposits/${id}/confirm`, { reason: 'Seen' })
  assert.match(confirmed.location ?? '', /done=confirm/)
})

report()
