/**
 * A section that exists for this test only: a list, one row, an act that needs a second person and one that does not.
 * Everything that people meet comes from its declaration.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from '../../src/platform/db.ts'
import { foreign, money } from '../../src/sections/cells.ts'
import { act, section } from '../../src/sections/declare.ts'
import { admin, read, work } from '../../src/sections/roles.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { actAs, askAs, decideAs, officeContextOf } from '../support/office.ts'
import { joined } from '../support/person.ts'

type Drawer = { id: string; label: string; cents: bigint }
const drawers = new Map<string, Drawer>()
const id = '00000000-0000-4000-8000-000000000001'

const drawerSection = section<Drawer>()({
  one: 'drawer',
  path: '/drawers',
  name: ['Drawers', 'Ящики'],
  empty: [
    ['No drawers', 'Ящиков нет'],
    ['Add one.', 'Добавьте первый.'],
  ],
  read,
  columns: {
    label: { head: ['Label', 'Название'], rank: 1, cell: (r) => foreign(r.label) },
    money: { head: ['Money', 'Деньги'], rank: 1, is: 'money', cell: (r) => money(r.cents, 'RUB') },
  },
  idOf: ({ id }) => id,
  all: async () => [...drawers.values()],
  acts: {
    rename: act<Drawer>()({
      name: ['Rename', 'Переименовать'],
      policy: work,
      audit: 'drawer_rename',
      fields: { label: { head: ['Label', 'Название'], is: 'text', most: 20, value: ({ label }) => label } },
      run: async (_tx, { row, given }) => {
        drawers.set(row.id, { ...row, label: given.label })
        return { before: { label: row.label }, after: { label: given.label } }
      },
    }),
    fill: act<Drawer>()({
      name: ['Fill', 'Пополнить'],
      policy: admin,
      audit: 'drawer_fill',
      fields: { money: { head: ['Money', 'Деньги'], is: 'cents', value: ({ cents }) => `${cents / 100n}` } },
      second: (_tx, { given, row }) => given.money > row.cents,
      run: async (_tx, { row, given }) => {
        drawers.set(row.id, { ...row, cents: given.money })
      },
    }),
  },
})

let gateway: TestGateway
before(async () => {
  gateway = await startGateway({ environment: { INLET_ROLES: 'api,console' } })
  drawers.set(id, { id, label: 'Left', cents: 10_000n })
})
const context = () => officeContextOf(gateway, [drawerSection])
const auditOf = () =>
  gateway.db.query<{ act: string; subject: string; before: string; after: string }>(sql`
    select act, subject, before, after
    from audit_entries
    where act like '%drawer%'
    order by place`)

test('an act changes its row and writes one audit entry, with what it was and is', async () => {
  const anna = await joined(gateway, { operatorRole: 'operator' })
  const done = await actAs(context(), anna, 'drawer.rename', id, { label: 'Right' })
  assert.equal(done.is, 'done')
  assert.equal(drawers.get(id)!.label, 'Right')
  assert.deepEqual(await auditOf(), [
    { act: 'drawer_rename', subject: `drawer:${id}`, before: '{"label":"Left"}', after: '{"label":"Right"}' },
  ])
})

test('a fault in a field changes nothing, and says which field', async () => {
  const anna = await joined(gateway, { operatorRole: 'operator' })
  await assert.rejects(actAs(context(), anna, 'drawer.rename', id, { label: 'x'.repeat(21) }), {
    problems: { label: ['Enter at most 20 characters.', 'Не больше 20 символов.'] },
  })
  assert.equal(drawers.get(id)!.label, 'Right')
})

test('above its condition an act waits for a second person, who is not the first', async () => {
  const anna = await joined(gateway, { operatorRole: 'admin' })
  const boris = await joined(gateway, { operatorRole: 'approver' })
  const request = await askAs(context(), anna, 'drawer.fill', id, { money: '500' })
  assert.equal(drawers.get(id)!.cents, 10_000n)
  await assert.rejects(decideAs(context(), anna, request), { code: 'state_conflict' })
  await decideAs(context(), boris, request)
  assert.equal(drawers.get(id)!.cents, 50_000n)
  assert.deepEqual(
    (await auditOf()).map(({ act }) => act),
    ['drawer_rename', 'propose_drawer_fill', 'approve_drawer_fill'],
  )
})

test('what has changed since it was requested is not approved', async () => {
  const anna = await joined(gateway, { operatorRole: 'admin' })
  const boris = await joined(gateway, { operatorRole: 'approver' })
  const request = await askAs(context(), anna, 'drawer.fill', id, { money: '900' })
  await actAs(context(), anna, 'drawer.fill', id, { money: '400' })
  await assert.rejects(decideAs(context(), boris, request), {
    code: 'state_conflict',
    message: 'This has changed since it was requested.',
  })
})

test('a request of somebody who may ask for it no longer is not approved', async () => {
  const anna = await joined(gateway, { operatorRole: 'admin' })
  const boris = await joined(gateway, { operatorRole: 'approver' })
  const request = await askAs(context(), anna, 'drawer.fill', id, { money: '901' }).catch((error) => error)
  assert.equal(request.code, 'already_exists', 'one request for an act on a row at a time')
  await gateway.database.owner.query(
    sql`update proposals set state = 'withdrawn', decided_by = proposed_by, decided_at = inlet_now() where state = 'open'`,
  )
  const next = await askAs(context(), anna, 'drawer.fill', id, { money: '901' })
  await gateway.database.owner.query(
    sql`update people set operator_role = 'operator' where id = ${anna.person.id}`,
  )
  await assert.rejects(decideAs(context(), boris, next), { code: 'state_conflict' })
})
