/** A deposit on every screen of the payment page, for the browser tests and for the pictures in docs/. */
import {
  cancelDeposit,
  claimPayment,
  confirmDeposit,
  type DepositContext,
  expireDeposit,
  receiveMoney,
} from '../../src/domain/deposits/change-deposit.ts'
import { rejectDeposit, reverseDeposit } from '../../src/domain/transfers/end-deposit.ts'
import { sql } from '../../src/platform/db.ts'
import type { Fields, Shop, TestGateway } from './gateway.ts'

export type Scene = { name: string; path: string; depositId: string }

const back = { success_url: 'https://shop.example/paid', reject_url: 'https://shop.example/basket' }

/** How each screen comes about. Amounts differ, so that no two deposits want the same slot. */
export async function payScenes(gateway: TestGateway, shop: Shop): Promise<Record<string, Scene>> {
  const context: DepositContext = { db: gateway.db, publicUrl: gateway.url, changed: () => {} }
  const by = (depositId: string) => ({ depositId, actor: 'operator:test', reason: 'test' })
  let amount = 1_234_500
  const made: Record<string, Scene> = {}

  async function scene(name: string, fields: Fields, then?: (id: string, cents: bigint) => Promise<unknown>) {
    amount += 100
    const cents = amount
    const isBuild = fields.payment_type === 'uzs_select'
    const order = { ...back, order_id: `A-${cents}`, customer: 'customer-1', cents, ...fields }
    const { status, body } = await (isBuild ? shop.build(order) : shop.create(order))
    if (status !== 201) throw new Error(`${name}: ${JSON.stringify(body)}`)
    const depositId = body.id ?? body.uuid
    await then?.(depositId, BigInt(cents))
    made[name] = { name, path: new URL(body.payment_data.url).pathname, depositId }
  }
  const card = { payment_type: 'any_bank' }
  const account = { payment_type: 'account_number' }

  await scene('choose', { payment_type: 'uzs_select', currency: 'UZS', cents: 45_000_000 })
  await scene('pay-card', card)
  await scene('pay-phone', { payment_type: 'sbp' })
  await scene('pay-account', account)
  await scene('checking', card, (id) => claimPayment(context, { depositId: id, actor: 'customer' }))
  await scene('checking-part', card, async (id, cents) => {
    await receiveMoney(context, { ...by(id), cents: cents / 2n })
    await gateway.database.owner.query(
      sql`update deposits set labels = labels || '{review}' where id = ${id}`,
    )
  })
  await scene('short-card', card, (id, cents) => receiveMoney(context, { ...by(id), cents: cents / 2n }))
  await scene('short', account, (id, cents) => receiveMoney(context, { ...by(id), cents: cents / 2n }))
  await scene('success', card, (id, cents) => receiveMoney(context, { ...by(id), cents }))
  await scene('success-overpaid', account, (id, cents) =>
    receiveMoney(context, { ...by(id), cents: cents * 2n }),
  )
  await scene('success-late', card, async (id, cents) => {
    await expireDeposit(context, by(id))
    await receiveMoney(context, { ...by(id), cents })
  })
  await scene('rejected', card, (id) => rejectDeposit(context, by(id)))
  await scene('rejected-by-customer', card, (id) => rejectDeposit(context, { ...by(id), actor: 'customer' }))
  await scene('expired', card, (id) => expireDeposit(context, by(id)))
  await scene('closed', account, async (id) => {
    await expireDeposit(context, by(id))
    await gateway.database.owner.query(
      sql`update deposits set expires_at = created_at + interval '1 millisecond',
        late_until = created_at + interval '1 millisecond' where id = ${id}`,
    )
  })
  await scene('closed-unchosen', { payment_type: 'uzs_select' }, (id) => expireDeposit(context, by(id)))
  await scene('canceled', card, (id) => cancelDeposit(context, { ...by(id), merchantId: null }))
  await scene('reversed', card, async (id, cents) => {
    await receiveMoney(context, { ...by(id), cents })
    await reverseDeposit(context, by(id))
  })
  await scene('confirmed-by-hand', account, (id) => confirmDeposit(context, by(id)))
  made.gone = { name: 'gone', path: '/pay/AAAAAAAAAAAAAAAAAAAAAA', depositId: '' }
  made['give-up'] = { ...made['pay-card']!, name: 'give-up', path: `${made['pay-card']!.path}/give-up` }
  return made
}
